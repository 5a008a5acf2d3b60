import { setTimeout as pause } from 'node:timers/promises'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { Refused } from '#domain/kernel/errors.ts'
import { withTimeout } from '#server/concurrency/with-timeout.ts'
import {
  ObjectConflict,
  type ObjectHead,
  type ObjectStore,
  parseObjectKey,
  StorageUnavailable,
  type StoredObject,
} from '#server/ports/object-store.ts'
import { probeObjectStore } from '#server/ports/probe-object-store.ts'
import { faultOf } from './s3-faults.ts'

/**
 * The object store on S3 or MinIO, by conditional writes (`If-None-Match: *`, `If-Match`), path style.
 *
 * The client's own repeats are off: only here is known what a repeated conditional write may mean. A write that was
 * answered by 409, 5xx, a broken connection or silence is sent again; a 412 may then be the echo of one's own first
 * success, so on every 412 the object is read and compared before anything is said. After the last attempt it is read once
 * more: what stands is success, what cannot be known is `StorageUnavailable`, and a repeat by the caller is safe.
 * Etags are kept without their quotes, which some servers want so in `If-Match`.
 */
export type S3Options = {
  endpoint: string
  bucket: string
  accessKey: string
  secretKey: string
  region?: string
  /** Time for one attempt of one call, body included, in milliseconds (10 000). */
  timeoutMs?: number
  /** Attempts of a call before it fails (4). */
  attempts?: number
  /** Pause before the second attempt, doubled after each, in milliseconds (100). */
  pauseMs?: number
}

type Condition = { IfNoneMatch: '*' } | { IfMatch: string }
type Attempts = { ambiguous: boolean }
type Written = { etag: string; surelyOurs: boolean }

export function openS3Store(options: S3Options): ObjectStore {
  return new S3Store(options)
}

/** Makes the bucket unless it is there and one's own; `StorageUnavailable` when neither can be had. */
export async function ensureBucket(options: S3Options): Promise<void> {
  const client = clientOf(options)
  try {
    await client.send(new CreateBucketCommand({ Bucket: options.bucket }))
  } catch (error) {
    if (!['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'].includes(faultOf(error).name)) {
      throw new StorageUnavailable(`the bucket ${options.bucket} cannot be had: ${faultOf(error).name}`, {
        cause: error,
      })
    }
  } finally {
    client.destroy()
  }
}

const clientOf = (options: S3Options): S3Client =>
  new S3Client({
    endpoint: options.endpoint,
    region: options.region ?? 'us-east-1',
    credentials: { accessKeyId: options.accessKey, secretAccessKey: options.secretKey },
    forcePathStyle: true,
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 3000, requestTimeout: options.timeoutMs ?? 10_000 },
  })

const bare = (etag: string | undefined): string => (etag ?? '').replaceAll('"', '')
const equal = (a: Uint8Array, b: Uint8Array): boolean => Buffer.from(a).equals(b)

class S3Store implements ObjectStore {
  readonly #options: S3Options
  readonly #client: S3Client

  constructor(options: S3Options) {
    this.#options = options
    this.#client = clientOf(options)
  }

  async create(
    key: string,
    bytes: Uint8Array,
    contentType?: string,
  ): Promise<{ created: boolean; etag: string }> {
    const written = await this.#write(key, bytes, { IfNoneMatch: '*' }, contentType)
    return { created: written.surelyOurs, etag: written.etag }
  }

  async replace(key: string, bytes: Uint8Array, ifMatch: string | null, contentType?: string) {
    const condition: Condition = ifMatch === null ? { IfNoneMatch: '*' } : { IfMatch: bare(ifMatch) }
    const { etag } = await this.#write(key, bytes, condition, contentType)
    return { etag }
  }

  get(key: string): Promise<StoredObject | null> {
    return this.#reading(key, async (signal) => {
      const answer = await this.#client.send(
        new GetObjectCommand({ Bucket: this.#options.bucket, Key: key }),
        {
          abortSignal: signal,
        },
      )
      if (bare(answer.ETag) === '') throw new Error('the answer to a read carried no etag')
      const bytes = (await answer.Body?.transformToByteArray()) ?? new Uint8Array()
      if (answer.ContentLength !== undefined && answer.ContentLength !== bytes.length) {
        throw new Error(`the body was cut off at ${bytes.length} of ${answer.ContentLength} bytes`)
      }
      return { key, bytes, etag: bare(answer.ETag) }
    })
  }

  async head(key: string): Promise<ObjectHead | null> {
    const answer = await this.#reading(
      key,
      (signal) =>
        this.#client.send(new HeadObjectCommand({ Bucket: this.#options.bucket, Key: key }), {
          abortSignal: signal,
        }),
      'NotFound',
    )
    if (answer?.LastModified) {
      return { etag: bare(answer.ETag), size: answer.ContentLength ?? 0, modified: answer.LastModified }
    }
    // An answer to HEAD has no body, so a 404 does not say whether the object or the bucket is missing: GET does.
    const object = await this.get(key)
    return object && { etag: object.etag, size: object.bytes.length, modified: new Date() }
  }

  async list(prefix: string, options: { after?: string; limit?: number } = {}) {
    const wanted = options.limit ?? 1000
    const keys: string[] = []
    for (let after = options.after ?? ''; keys.length < wanted; after = keys.at(-1) ?? '') {
      const page = await this.#page(prefix, after, Math.min(wanted - keys.length, 1000))
      keys.push(...page.keys)
      if (!page.more) return { keys, next: null }
    }
    return { keys, next: keys.at(-1) ?? null }
  }

  async remove(key: string): Promise<void> {
    await this.#reading(key, (signal) =>
      this.#client.send(new DeleteObjectCommand({ Bucket: this.#options.bucket, Key: key }), {
        abortSignal: signal,
      }),
    )
  }

  probe() {
    return probeObjectStore(this, `S3 ${this.#options.endpoint} bucket ${this.#options.bucket}`)
  }

  async #page(prefix: string, after: string, limit: number): Promise<{ keys: string[]; more: boolean }> {
    const command = new ListObjectsV2Command({
      Bucket: this.#options.bucket,
      Prefix: prefix,
      MaxKeys: limit,
      ...(after === '' ? {} : { StartAfter: after }),
    })
    const answer = await this.#reading(null, (signal) => this.#client.send(command, { abortSignal: signal }))
    const keys = (answer?.Contents ?? []).flatMap((one) => (one.Key === undefined ? [] : [one.Key]))
    return { keys, more: answer?.IsTruncated === true && keys.length > 0 }
  }

  /** A call that may be repeated at will. `null` only when the server names the object as missing. */
  async #reading<T>(
    key: string | null,
    call: (signal: AbortSignal) => Promise<T>,
    missing = 'NoSuchKey',
  ): Promise<T | null> {
    if (key !== null) parseObjectKey(key)
    return await this.#repeat(key ?? 'a list', async (signal) => {
      try {
        return await call(signal)
      } catch (error) {
        if (faultOf(error).name === missing) return null
        throw error
      }
    })
  }

  async #write(key: string, bytes: Uint8Array, condition: Condition, contentType?: string) {
    parseObjectKey(key)
    const outcome: Attempts = { ambiguous: false }
    try {
      return await this.#repeat(key, (signal) =>
        this.#put(key, bytes, condition, { signal, outcome, contentType }),
      )
    } catch (error) {
      if (error instanceof ObjectConflict || !outcome.ambiguous) throw error
      return await this.#readBack(key, bytes, error as Error)
    }
  }

  async #put(
    key: string,
    bytes: Uint8Array,
    condition: Condition,
    {
      signal,
      outcome,
      contentType,
    }: { signal: AbortSignal; outcome: Attempts; contentType: string | undefined },
  ): Promise<Written> {
    const ContentType = contentType ?? 'application/octet-stream'
    const input = { Bucket: this.#options.bucket, Key: key, Body: bytes, ContentType, ...condition }
    try {
      const answer = await this.#client.send(new PutObjectCommand(input), { abortSignal: signal })
      if (bare(answer.ETag) !== '') return { etag: bare(answer.ETag), surelyOurs: true }
      throw new Error('the answer to a write carried no etag')
    } catch (error) {
      const fault = faultOf(error)
      if (fault.kind === 'unmet') return await this.#readBack(key, bytes, condition)
      if (fault.kind === 'unknown') outcome.ambiguous = true
      throw error
    }
  }

  /** After a 412, or attempts whose outcome is not known (then with their fault): does what we wanted to write stand there? */
  async #readBack(key: string, bytes: Uint8Array, why: Condition | Error): Promise<Written> {
    const standing = await this.get(key)
    if (standing && equal(standing.bytes, bytes)) return { etag: standing.etag, surelyOurs: false }
    if (why instanceof Error) throw why
    const holds = 'IfMatch' in why ? standing?.etag === why.IfMatch : standing === null
    if (holds) throw new Error('the server refused a condition that holds')
    throw new ObjectConflict(key)
  }

  /** Repeats until an answer, an answer that repeating cannot change, or the last attempt. */
  async #repeat<T>(key: string, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { attempts = 4, timeoutMs = 10_000, pauseMs = 100 } = this.#options
    let surelyNot = true
    for (let attempt = 1; ; attempt++) {
      try {
        return await withTimeout({ ms: timeoutMs }, call)
      } catch (error) {
        if (error instanceof ObjectConflict || error instanceof Refused) throw error
        const fault = faultOf(error)
        if (fault.kind === 'unknown') surelyNot = false
        if (fault.kind === 'final' || attempt >= attempts) {
          const refused = fault.kind === 'final' && surelyNot
          const options = { cause: error, refused }
          throw new StorageUnavailable(`the object store failed (${fault.name}) at ${key}`, options)
        }
        await pause(pauseMs * 2 ** (attempt - 1) * (0.5 + Math.random()))
      }
    }
  }
}
