import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import {
  type ByteSource,
  type ByteTally,
  inParts,
  measure,
  readSource,
  SourceFailed,
} from '#server/ports/byte-source.ts'
import {
  ArtifactCorrupt,
  ObjectConflict,
  StorageUnavailable,
  type StreamedWrite,
} from '#server/ports/object-store.ts'
import { bare, type Condition, type S3Connection } from './s3-connection.ts'
import { faultOf } from './s3-faults.ts'
import { type LargeObject, type Sent, sendInParts } from './s3-multipart.ts'
import { headObject, readObject, UPLOAD_MARK } from './s3-reads.ts'

/**
 * Streamed conditional writes of 8 MiB and more.
 *
 * A server that keeps the condition of a completion gets the object in parts. One that does not (Ceph before 2026, and most
 * of what imitates S3) gets it in a single conditional request instead, which it keeps; 5 GiB are the limit of such a
 * request. Either way the object carries a mark of this write. Every outcome that is not plain is decided by looking: an
 * object with our mark is our success, equal content is success, a condition that in fact holds is tried again from the
 * start of the source, anything else is a conflict. What cannot be looked at is `StorageUnavailable`, and a repeat is safe.
 */
export type LargeWrite = { key: string; source: ByteSource; condition: Condition; contentType: string }
type Written = StreamedWrite & { created: boolean }

const ROUNDS = 3
const SINGLE_REQUEST_BYTES = 5 * 1024 ** 3

export async function writeLarge(
  s3: S3Connection,
  write: LargeWrite,
  partsAreSafe: boolean,
): Promise<Written> {
  const begin = partsAreSafe ? inSeveralRequests : inOneRequest
  for (let round = 1; round <= ROUNDS; round++) {
    const object = { ...write, mark: randomUUID() }
    const attempt = await begin(s3, object)
    const sent = await attempt.send().catch(async (error) => {
      const written = await standsAfterAll(s3, object, attempt.tally()).catch(() => null)
      if (written) return written
      throw error
    })
    const tally = attempt.tally()
    if (!tally) continue
    if (typeof sent === 'object') return { created: true, ...tally, ...sent }
    const stands = await standsAfterAll(s3, object, tally)
    if (stands) return { ...tally, ...stands }
    if (sent === 'unmet') await mustHold(s3, object)
  }
  throw new StorageUnavailable(`the object store did not keep an upload to ${write.key}`)
}

/** One round: `tally` is what is to be written, as soon as that is known. */
type Attempt = { send: () => Promise<Sent>; tally: () => ByteTally | null }
type Begin = (s3: S3Connection, object: LargeObject & LargeWrite) => Promise<Attempt>

const inSeveralRequests: Begin = async (s3, object) => {
  const { chunks, tally } = readSource(object.source)
  const partBytes = partBytesFor(s3, object.source.size)
  return { tally, send: () => sendInParts(s3, object, inParts(chunks, partBytes)) }
}

/** Larger parts than usual for an object that would otherwise take more of them than the server does. */
const partBytesFor = (s3: S3Connection, size = 0): number =>
  Math.max(s3.partBytes, Math.ceil(size / s3.mostParts))

/** The size has to be known before: a source that does not tell it is read once more. Each try opens the source anew. */
const inOneRequest: Begin = async (s3, object) => {
  const { source } = object
  const { size, sha256 } = source
  const tally = size !== undefined && sha256 !== undefined ? { size, sha256 } : await measure(source)
  if (tally.size > SINGLE_REQUEST_BYTES)
    throw new StorageUnavailable(`${object.key} is too large for this object store`, { refused: true })
  const send = (signal: AbortSignal, restart: () => void) =>
    sendWhole(s3, { ...object, source: { ...source, ...tally }, size: tally.size }, { signal, restart })
  return { tally: () => tally, send: () => s3.repeat(object.key, send, s3.transferMs) }
}

async function sendWhole(
  s3: S3Connection,
  { key, source, size, condition, contentType, mark }: LargeObject & LargeWrite & { size: number },
  { signal, restart }: { signal: AbortSignal; restart: () => void },
): Promise<Sent> {
  const stop = new AbortController()
  const Body = Readable.from(noticed(source, restart), { objectMode: false })
  // The client does not look after the errors of a body: one stops the request.
  Body.once('error', (error) => stop.abort(error))
  const command = new PutObjectCommand({
    Bucket: s3.bucket,
    Key: key,
    Body,
    ContentLength: size,
    ContentType: contentType,
    Metadata: { [UPLOAD_MARK]: mark },
    ...condition,
  })
  try {
    const answer = await s3.client.send(command, { abortSignal: AbortSignal.any([signal, stop.signal]) })
    if (bare(answer.ETag) === '') throw new Error('the answer to a write carried no etag')
    return { etag: bare(answer.ETag) }
  } catch (error) {
    if (Body.errored instanceof SourceFailed) throw Body.errored
    if (faultOf(error).kind === 'unmet') return 'unmet'
    throw error
  } finally {
    Body.destroy()
  }
}

async function* noticed(source: ByteSource, progress: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of readSource(source).chunks) {
    progress()
    yield chunk
  }
}

/** What stands there counts when it is ours, whatever the answers were, or equal. */
async function standsAfterAll(
  s3: S3Connection,
  object: LargeObject,
  tally: ByteTally | null,
): Promise<{ etag: string; created: boolean } | null> {
  if (!tally) return null
  const standing = await headObject(s3, object.key)
  if (standing?.mark === object.mark) return { etag: standing.etag, created: true }
  if (standing && (await isEqual(s3, object.key, tally, standing.size))) {
    return { etag: standing.etag, created: false }
  }
  return null
}

/** After a refused condition: a conflict, unless the condition holds in fact. */
async function mustHold(s3: S3Connection, { key, condition }: LargeObject): Promise<void> {
  const now = await headObject(s3, key)
  const holds = 'IfMatch' in condition ? now?.etag === condition.IfMatch : now === null
  if (!holds) throw new ObjectConflict(key)
}

/** True when the object has exactly this content; it is read for that. */
async function isEqual(s3: S3Connection, key: string, tally: ByteTally, size: number): Promise<boolean> {
  if (size !== tally.size) return false
  const object = await readObject(s3, key, tally.sha256)
  if (!object) return false
  try {
    for await (const _ of object.stream);
    return true
  } catch (error) {
    if (error instanceof ArtifactCorrupt) return false
    throw error
  }
}
