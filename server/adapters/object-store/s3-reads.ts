import { GetObjectCommand, type GetObjectCommandOutput, HeadObjectCommand } from '@aws-sdk/client-s3'
import { withTimeout } from '#server/concurrency/with-timeout.ts'
import {
  type ObjectStream,
  type Observation,
  StorageUnavailable,
  type StoredObject,
} from '#server/ports/object-store.ts'
import { verifiedStream } from '#server/ports/verified-stream.ts'
import { bare, type S3Connection } from './s3-connection.ts'
import { faultOf } from './s3-faults.ts'

/** The name under which an upload marks what it writes, so that it knows its own object again after a lost answer. */
export const UPLOAD_MARK = 'bloom-upload'

type Whole = StoredObject & { modified: Date | undefined }

async function wholeBody(key: string, answer: GetObjectCommandOutput): Promise<Whole> {
  if (bare(answer.ETag) === '') throw new Error('the answer to a read carried no etag')
  const bytes = (await answer.Body?.transformToByteArray()) ?? new Uint8Array()
  if (answer.ContentLength !== undefined && answer.ContentLength !== bytes.length) {
    throw new Error(`the body was cut off at ${bytes.length} of ${answer.ContentLength} bytes`)
  }
  return { key, bytes, etag: bare(answer.ETag), modified: answer.LastModified }
}

const wholeObject = (s3: S3Connection, key: string): Promise<Whole | null> =>
  s3.reading(key, async (signal) => {
    const command = new GetObjectCommand({ Bucket: s3.bucket, Key: key })
    return await wholeBody(key, await s3.client.send(command, { abortSignal: signal }))
  })

export async function getObject(s3: S3Connection, key: string): Promise<StoredObject | null> {
  const found = await wholeObject(s3, key)
  return found && { key, bytes: found.bytes, etag: found.etag }
}

/**
 * An object beside the `Date` of the very answer that told of it. An answer without a date that can be read is no answer:
 * this process's own clock never stands in for the store's.
 */
export async function observeObject(s3: S3Connection, key: string): Promise<Observation> {
  let storeTime = new Date(Number.NaN)
  const object = await s3.reading(key, async (signal) => {
    const command = new GetObjectCommand({ Bucket: s3.bucket, Key: key })
    command.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args)
        const { headers } = result.response as { headers?: Record<string, string> }
        storeTime = new Date(headers?.date ?? Number.NaN)
        if (Number.isNaN(storeTime.getTime())) throw new Error('the answer to a read carried no date')
        return result
      },
      { step: 'deserialize', priority: 'low', name: 'storeTime' },
    )
    const { modified, ...found } = await wholeBody(
      key,
      await s3.client.send(command, { abortSignal: signal }),
    )
    if (!modified) throw new Error('the answer to a read did not say when the object was written')
    return { ...found, modified }
  })
  return { object, storeTime }
}

/** Opens the body and repeats that; once it flows, a broken or silent connection fails the stream. No digest: any will do. */
export async function readObject(
  s3: S3Connection,
  key: string,
  sha256: string | null,
): Promise<ObjectStream | null> {
  const answer = await s3.reading(key, async (signal) => {
    const command = new GetObjectCommand({ Bucket: s3.bucket, Key: key })
    const { ETag, ContentLength, Body } = await s3.client.send(command, { abortSignal: signal })
    if (bare(ETag) === '' || ContentLength === undefined || !Body)
      throw new Error('the answer to a read carried no etag or length')
    return { etag: bare(ETag), size: ContentLength, body: Body as unknown as NodeJS.ReadableStream }
  })
  if (!answer) return null
  const { etag, size } = answer
  const body = answer.body as NodeJS.ReadableStream & { destroy(): void }
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  const next = async () => {
    try {
      const { done, value } = await withTimeout({ ms: s3.options.timeoutMs ?? 10_000 }, () => chunks.next())
      return done ? null : value
    } catch (error) {
      throw new StorageUnavailable(`the object store failed (${faultOf(error).name}) at ${key}`, {
        cause: error,
      })
    }
  }
  const stream = verifiedStream({ key, size, sha256 }, { next, close: () => body.destroy() })
  return { key, size, etag, stream }
}

/** What stands under the key, and the mark of the upload that wrote it; `null` only on a definite absence. */
export async function headObject(s3: S3Connection, key: string) {
  const answer = await s3.reading(
    key,
    (signal) =>
      s3.client.send(new HeadObjectCommand({ Bucket: s3.bucket, Key: key }), { abortSignal: signal }),
    'NotFound',
  )
  if (answer?.LastModified) {
    const { ETag, ContentLength: size = 0, LastModified: modified, Metadata } = answer
    return { etag: bare(ETag), size, modified, mark: Metadata?.[UPLOAD_MARK] ?? null }
  }
  // An answer to HEAD has no body, so a 404 does not say whether the object or the bucket is missing: GET does.
  const object = await wholeObject(s3, key)
  const modified = object?.modified ?? new Date()
  return object && { etag: object.etag, size: object.bytes.length, modified, mark: null }
}
