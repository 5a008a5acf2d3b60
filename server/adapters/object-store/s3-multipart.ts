import { randomUUID } from 'node:crypto'
import { posix } from 'node:path'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { bare, type Condition, type S3Connection } from './s3-connection.ts'
import { faultOf, isNotSupported } from './s3-faults.ts'
import { UPLOAD_MARK } from './s3-reads.ts'

/**
 * An upload in parts: begun with a mark, parts sent a few at a time, and made visible by one conditional completion. States:
 * begun → completed | aborted. It is aborted on every way out but completion, once no part is under way any more; one that
 * a killed process left is aborted by a later upload into the same folder, a day after it was begun.
 */
export type LargeObject = { key: string; contentType: string; condition: Condition; mark: string }
/**
 * `unmet`: the condition does not hold. `gone`: the server does not know the upload. Either may be the echo of a success whose
 * answer was lost; the object's mark tells.
 */
export type Sent = { etag: string } | 'unmet' | 'gone'

type Upload = { s3: S3Connection; object: LargeObject; id: string }

/** Parts on their way at a time; one more is being filled. */
const IN_FLIGHT = 3
const ABANDONED_MS = 24 * 3_600_000

export async function sendInParts(
  s3: S3Connection,
  object: LargeObject,
  parts: AsyncIterable<Uint8Array>,
): Promise<Sent> {
  const upload = { s3, object, id: await begin(s3, object) }
  await abortAbandoned(upload).catch(() => undefined)
  let sent: Sent = 'gone'
  try {
    sent = await complete(upload, await sendParts(upload, parts))
    return sent
  } finally {
    if (typeof sent === 'string') await abort(upload)
  }
}

async function begin(s3: S3Connection, { key, contentType, mark }: LargeObject): Promise<string> {
  const Metadata = { [UPLOAD_MARK]: mark }
  const input = { Bucket: s3.bucket, Key: key, ContentType: contentType, Metadata }
  return await s3.repeat(key, async (signal) => {
    const { UploadId } = await s3.client.send(new CreateMultipartUploadCommand(input), {
      abortSignal: signal,
    })
    if (!UploadId) throw new Error('the answer to the begin of an upload carried no id')
    return UploadId
  })
}

/** Sends the parts as they come and takes no more while enough are under way. When it throws, none is under way. */
async function sendParts(upload: Upload, parts: AsyncIterable<Uint8Array>): Promise<CompletedPart[]> {
  const done: CompletedPart[] = []
  const underWay = new Set<Promise<void>>()
  try {
    for await (const bytes of parts) {
      const number = done.length + underWay.size + 1
      if (number > upload.s3.mostParts) throw tooManyParts(upload)
      const sending = sendPart(upload, number, bytes).then((part) => {
        done.push(part)
        underWay.delete(sending)
      })
      underWay.add(sending)
      // Seen by the race or the wait below; until then it must not count as unhandled.
      sending.catch(() => undefined)
      if (underWay.size >= IN_FLIGHT) await Promise.race(underWay)
    }
    await Promise.all(underWay)
  } finally {
    await Promise.allSettled(underWay)
  }
  return done.sort((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0))
}

/** Only a source of unknown size comes so far: the parts of any other are as large as they need to be. */
const tooManyParts = ({ s3, object }: Upload) =>
  new StorageUnavailable(
    `${object.key} is too large: its size was not known before, and the object store takes ${s3.mostParts} parts`,
    { refused: true },
  )

async function sendPart(
  { s3, object, id }: Upload,
  PartNumber: number,
  Body: Uint8Array,
): Promise<CompletedPart> {
  const input = { Bucket: s3.bucket, Key: object.key, UploadId: id, PartNumber, Body }
  const send = async (signal: AbortSignal) => {
    const { ETag } = await s3.client.send(new UploadPartCommand(input), { abortSignal: signal })
    if (bare(ETag) === '') throw new Error('the answer to a part carried no etag')
    return { PartNumber, ETag }
  }
  return await s3.repeat(object.key, send, s3.transferMs)
}

/** Makes the object visible if its condition holds. */
async function complete({ s3, object, id }: Upload, Parts: CompletedPart[]): Promise<Sent> {
  const { key, condition } = object
  const input = { Bucket: s3.bucket, Key: key, UploadId: id, MultipartUpload: { Parts }, ...condition }
  const send = async (signal: AbortSignal): Promise<Sent> => {
    try {
      const answer = await s3.client.send(new CompleteMultipartUploadCommand(input), { abortSignal: signal })
      if (bare(answer.ETag) !== '') return { etag: bare(answer.ETag) }
      throw new Error('the answer to a completion carried no etag')
    } catch (error) {
      const { kind, name } = faultOf(error)
      if (kind === 'unmet') return 'unmet'
      if (name === 'NoSuchUpload') return 'gone'
      throw error
    }
  }
  return await s3.repeat(key, send, s3.transferMs)
}

/** Best effort: what cannot be aborted now is aborted as abandoned later. */
async function abort({ s3, object, id }: Upload): Promise<void> {
  const command = new AbortMultipartUploadCommand({ Bucket: s3.bucket, Key: object.key, UploadId: id })
  await s3
    .reading(null, (signal) => s3.client.send(command, { abortSignal: signal }), 'NoSuchUpload')
    .catch(() => undefined)
}

/** Judged by the server's clock: an upload is abandoned that was begun a day before this one. */
async function abortAbandoned({ s3, object, id }: Upload): Promise<void> {
  const folder = `${posix.dirname(object.key)}/`
  const command = new ListMultipartUploadsCommand({ Bucket: s3.bucket, Prefix: folder })
  const answer = await s3.reading(null, (signal) => s3.client.send(command, { abortSignal: signal }))
  const uploads = answer?.Uploads ?? []
  const now = uploads.find((one) => one.UploadId === id)?.Initiated?.getTime() ?? 0
  for (const { Key: key = '', UploadId = '', Initiated } of uploads) {
    if (!Initiated || now - Initiated.getTime() < ABANDONED_MS) continue
    await abort({ s3, object: { ...object, key }, id: UploadId })
  }
}

/**
 * Whether the server keeps the condition of a completion. Some keep those of plain writes and ignore these: they would
 * overwrite what the condition protects. Others do not know them and refuse the completion.
 */
export async function keepsConditionOnCompletion(s3: S3Connection): Promise<boolean> {
  const key = `probe/${randomUUID()}/completion`
  const at = { Bucket: s3.bucket, Key: key }
  const conditions: Condition[] = [{ IfNoneMatch: '*' }, { IfMatch: '0'.repeat(32) }]
  try {
    await s3.repeat(key, (signal) =>
      s3.client.send(new PutObjectCommand({ ...at, Body: 'standing' }), { abortSignal: signal }),
    )
    for (const condition of conditions) {
      const object = { key, contentType: 'text/plain', condition, mark: randomUUID() }
      const upload = { s3, object, id: await begin(s3, object) }
      if ((await completionOf(upload).finally(() => abort(upload))) !== 'unmet') return false
    }
    return true
  } finally {
    await s3
      .repeat(key, (signal) => s3.client.send(new DeleteObjectCommand(at), { abortSignal: signal }))
      .catch(() => undefined)
  }
}

/** Sends one part and completes; `refused` when the server does not accept the completion as it is. */
async function completionOf(upload: Upload): Promise<Sent | 'refused'> {
  const parts = [await sendPart(upload, 1, Buffer.from('other'))]
  try {
    return await complete(upload, parts)
  } catch (error) {
    if (isNotSupported((error as Error).cause)) return 'refused'
    throw error
  }
}
