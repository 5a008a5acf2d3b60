import { setTimeout as pause } from 'node:timers/promises'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { Refused } from '#domain/kernel/errors.ts'
import { withTimeout } from '#server/concurrency/with-timeout.ts'
import { SourceFailed } from '#server/ports/byte-source.ts'
import { ObjectConflict, parseObjectKey, StorageUnavailable } from '#server/ports/object-store.ts'
import { faultOf } from './s3-faults.ts'

/**
 * Calls to an S3 server, one by one and repeated. The client's own repeats are off: only the caller knows what a repeated
 * conditional write may mean. Etags are kept without their quotes, which some servers want so in `If-Match`.
 */
export type S3Options = {
  endpoint: string
  bucket: string
  accessKey: string
  secretKey: string
  region?: string
  /** Time for one attempt of one call, body included, in milliseconds (10 000). */
  timeoutMs?: number
  /** Time for one attempt to send a part, to complete or to copy a large object, in milliseconds (120 000). */
  transferMs?: number
  /** Attempts of a call before it fails (4). */
  attempts?: number
  /** Pause before the second attempt, doubled after each, in milliseconds (100). */
  pauseMs?: number
  /** Streams of this size and above go in parts of this size (8 MiB). Servers take no less than 5 MiB for any part but the last. */
  partBytes?: number
  /** Parts that the server takes for one object (10 000, as S3 does). */
  mostParts?: number
}

/** Time for one attempt of one call. */
export const CALL_MS = 10_000
const TRANSFER_MS = 120_000

export type Condition = { IfNoneMatch: '*' } | { IfMatch: string }

export const bare = (etag: string | undefined): string => (etag ?? '').replaceAll('"', '')

export const conditionOf = (ifMatch: string | null): Condition =>
  ifMatch === null ? { IfNoneMatch: '*' } : { IfMatch: bare(ifMatch) }

/** What the client has to say is in its errors; it would print to the console otherwise. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

const clientOf = (options: S3Options): S3Client =>
  new S3Client({
    endpoint: options.endpoint,
    region: options.region ?? 'us-east-1',
    credentials: { accessKeyId: options.accessKey, secretAccessKey: options.secretKey },
    forcePathStyle: true,
    maxAttempts: 1,
    logger: SILENT,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // The client would wait for `100 Continue` as long as for an answer, deaf to an abort; some servers never send one.
    expectContinueHeader: false,
    // How long an answer may take, `repeat` says for each call.
    requestHandler: { connectionTimeout: 3000 },
  })

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

type Call<T> = (signal: AbortSignal, restart: () => void) => Promise<T>

export class S3Connection {
  readonly options: S3Options
  readonly client: S3Client
  readonly bucket: string
  readonly transferMs: number
  readonly partBytes: number
  readonly mostParts: number

  constructor(options: S3Options) {
    this.options = options
    this.client = clientOf(options)
    this.bucket = options.bucket
    this.transferMs = options.transferMs ?? TRANSFER_MS
    this.partBytes = options.partBytes ?? 8 * 1024 * 1024
    this.mostParts = options.mostParts ?? 10_000
  }

  /** A call that may be repeated at will. `null` only when the server names the object as missing. */
  async reading<T>(key: string | null, call: Call<T>, missing = 'NoSuchKey'): Promise<T | null> {
    if (key !== null) parseObjectKey(key)
    return await this.repeat(key ?? 'a list', async (signal, restart) => {
      try {
        return await call(signal, restart)
      } catch (error) {
        if (faultOf(error).name === missing) return null
        throw error
      }
    })
  }

  /** Repeats until an answer, an answer that repeating cannot change, or the last attempt. */
  async repeat<T>(key: string, call: Call<T>, timeoutMs = this.options.timeoutMs ?? CALL_MS): Promise<T> {
    const { attempts = 4, pauseMs = 100 } = this.options
    let surelyNot = true
    for (let attempt = 1; ; attempt++) {
      try {
        return await withTimeout({ ms: timeoutMs }, call)
      } catch (error) {
        if (isVerdict(error)) throw error
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

const isVerdict = (error: unknown): boolean =>
  error instanceof ObjectConflict || error instanceof Refused || error instanceof SourceFailed
