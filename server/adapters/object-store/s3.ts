import {
  CopyObjectCommand,
  DeleteObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts'
import { type ByteSource, type ByteTally, inParts, readSource } from '#server/ports/byte-source.ts'
import {
  type Creation,
  type NewObject,
  ObjectConflict,
  type ObjectHead,
  type ObjectStore,
  type ObjectStream,
  type Observation,
  type ProbeReport,
  parseObjectKey,
  type StoredObject,
  type StreamedWrite,
} from '#server/ports/object-store.ts'
import { PROBE_STREAM_BYTES, probeObjectStore } from '#server/ports/probe-object-store.ts'
import { bare, CALL_MS, type Condition, conditionOf, S3Connection, type S3Options } from './s3-connection.ts'
import { faultOf } from './s3-faults.ts'
import { writeLarge } from './s3-large-write.ts'
import { keepsConditionOnCompletion } from './s3-multipart.ts'
import { getObject, headObject, observeObject, readObject } from './s3-reads.ts'

export { ensureBucket, type S3Options } from './s3-connection.ts'

/**
 * The object store on S3 or MinIO, by conditional writes (`If-None-Match: *`, `If-Match`), path style.
 *
 * A write that was answered by 409, 5xx, a broken connection or silence is sent again; a 412 may then be the echo of one's
 * own first success, so on every 412 the object is read and compared before anything is said. After the last attempt it is
 * read once more: what stands is success, what cannot be known is `StorageUnavailable`, and a repeat by the caller is safe.
 * Streams of 8 MiB and more go by `s3-large-write.ts`, shorter ones as the bytes they are.
 */
type Attempts = { ambiguous: boolean }
type Written = { etag: string; surelyOurs: boolean }

export function openS3Store(options: S3Options): ObjectStore {
  return new S3Store(options)
}

/** Requests of one `createMany` that are under way at a time. */
const AT_ONCE = 16
const OCTETS = 'application/octet-stream'
const equal = (a: Uint8Array, b: Uint8Array): boolean => Buffer.from(a).equals(b)

class S3Store implements ObjectStore {
  readonly #s3: S3Connection
  #completion: Promise<boolean> | null = null

  constructor(options: S3Options) {
    this.#s3 = new S3Connection(options)
  }

  async create(
    key: string,
    bytes: Uint8Array,
    contentType?: string,
  ): Promise<{ created: boolean; etag: string }> {
    const written = await this.#write(key, bytes, { IfNoneMatch: '*' }, contentType)
    return { created: written.surelyOurs, etag: written.etag }
  }

  async createMany(objects: readonly NewObject[]): Promise<Creation[]> {
    for (const { key } of objects) parseObjectKey(key)
    return mapConcurrently(objects, AT_ONCE, async ({ key, bytes, contentType }) => {
      try {
        return await this.create(key, bytes, contentType)
      } catch (error) {
        if (!(error instanceof ObjectConflict)) throw error
        return { conflict: error }
      }
    })
  }

  async replace(key: string, bytes: Uint8Array, ifMatch: string | null, contentType?: string) {
    const { etag } = await this.#write(key, bytes, conditionOf(ifMatch), contentType)
    return { etag }
  }

  createFrom(key: string, source: ByteSource, contentType?: string) {
    return this.#writeFrom(key, source, { IfNoneMatch: '*' }, contentType)
  }

  async replaceFrom(key: string, source: ByteSource, ifMatch: string | null, contentType?: string) {
    const written = await this.#writeFrom(key, source, conditionOf(ifMatch), contentType)
    const { created: _, ...replaced } = written
    return replaced
  }

  /** Servers differ in whether they look at the etag of the source, so it is looked at before as well. */
  async copy(from: string, to: string, etag: string): Promise<{ etag: string }> {
    parseObjectKey(to)
    const source = await headObject(this.#s3, from)
    if (source?.etag !== bare(etag)) throw new ObjectConflict(from, `the object ${from} has changed`)
    const CopySource = `${this.#s3.bucket}/${from.split('/').map(encodeURIComponent).join('/')}`
    const input = { Bucket: this.#s3.bucket, Key: to, CopySource, CopySourceIfMatch: bare(etag) }
    const send = async (signal: AbortSignal) => {
      try {
        const answer = await this.#s3.client.send(new CopyObjectCommand(input), { abortSignal: signal })
        const copied = bare(answer.CopyObjectResult?.ETag)
        if (copied === '') throw new Error('the answer to a copy carried no etag')
        return { etag: copied }
      } catch (error) {
        if (faultOf(error).kind === 'unmet') throw new ObjectConflict(from, `the object ${from} has changed`)
        throw error
      }
    }
    return await this.#s3.repeat(to, send, this.#s3.transferMs)
  }

  get(key: string): Promise<StoredObject | null> {
    return getObject(this.#s3, key)
  }

  read(key: string, sha256: string): Promise<ObjectStream | null> {
    return readObject(this.#s3, key, sha256)
  }

  open(key: string) {
    return readObject(this.#s3, key, null)
  }

  observe(key: string): Promise<Observation> {
    return observeObject(this.#s3, key)
  }

  async head(key: string): Promise<ObjectHead | null> {
    const found = await headObject(this.#s3, key)
    return found && { etag: found.etag, size: found.size, modified: found.modified }
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
    await this.#s3.reading(key, (signal) =>
      this.#s3.client.send(new DeleteObjectCommand({ Bucket: this.#s3.bucket, Key: key }), {
        abortSignal: signal,
      }),
    )
  }

  /**
   * Probed by twins: streams by one that sends even a short one as it would a large one, and nothing by one that waits for
   * as long as a large object may take.
   */
  probe(): Promise<ProbeReport> {
    const { options } = this.#s3
    const small = { ...options, transferMs: options.timeoutMs ?? CALL_MS }
    const streams = new S3Store({ ...small, partBytes: PROBE_STREAM_BYTES })
    return probeObjectStore(new S3Store(small), `S3 ${options.endpoint} bucket ${options.bucket}`, streams)
  }

  /** Asked of the server once, before the first large write. */
  async #keepsConditionOnCompletion(): Promise<boolean> {
    this.#completion ??= keepsConditionOnCompletion(this.#s3)
    try {
      return await this.#completion
    } catch (error) {
      this.#completion = null
      throw error
    }
  }

  async #writeFrom(
    key: string,
    source: ByteSource,
    condition: Condition,
    contentType = OCTETS,
  ): Promise<StreamedWrite & { created: boolean }> {
    parseObjectKey(key)
    const { partBytes } = this.#s3
    const reading = readSource(source)
    const parts = inParts(reading.chunks, partBytes)
    const first = await parts.next()
    const start = first.done ? new Uint8Array() : first.value
    if (start.length < partBytes) {
      const { etag, surelyOurs } = await this.#write(key, start, condition, contentType)
      return { ...(reading.tally() as ByteTally), etag, created: surelyOurs }
    }
    await parts.return(undefined)
    const write = { key, source, condition, contentType }
    return await writeLarge(this.#s3, write, await this.#keepsConditionOnCompletion())
  }

  async #page(prefix: string, after: string, limit: number): Promise<{ keys: string[]; more: boolean }> {
    const command = new ListObjectsV2Command({
      Bucket: this.#s3.bucket,
      Prefix: prefix,
      MaxKeys: limit,
      ...(after === '' ? {} : { StartAfter: after }),
    })
    const answer = await this.#s3.reading(null, (signal) =>
      this.#s3.client.send(command, { abortSignal: signal }),
    )
    const keys = (answer?.Contents ?? []).flatMap((one) => (one.Key === undefined ? [] : [one.Key]))
    return { keys, more: answer?.IsTruncated === true && keys.length > 0 }
  }

  async #write(key: string, bytes: Uint8Array, condition: Condition, contentType?: string) {
    parseObjectKey(key)
    const outcome: Attempts = { ambiguous: false }
    try {
      return await this.#s3.repeat(key, (signal) =>
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
    const ContentType = contentType ?? OCTETS
    const input = { Bucket: this.#s3.bucket, Key: key, Body: bytes, ContentType, ...condition }
    try {
      const answer = await this.#s3.client.send(new PutObjectCommand(input), { abortSignal: signal })
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
}
