import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { discard, isAbsent, stage } from '#server/adapters/file-system/durable-file.ts'
import { type ObjectStream, StorageUnavailable } from '#server/ports/object-store.ts'
import { type ByteReader, verifiedStream } from '#server/ports/verified-stream.ts'

/** Reading the files that objects are: `null` where no plain file stands, and links are not followed in any component. */
export type ObjectLocation = { key: string; path: string; folder: string }

const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)
const CHUNK = 64 * 1024

type OpenObject = { handle: FileHandle; size: number; modified: Date }

/** False when some component on the way is a symbolic link, or is not there. */
export async function isInside(folder: string): Promise<boolean> {
  try {
    return (await realpath(folder)) === folder
  } catch (error) {
    if (isAbsent(error)) return false
    throw error
  }
}

async function openObject(location: ObjectLocation): Promise<OpenObject | null> {
  const handle = await open(location.path, READ).catch((error) => {
    if (isAbsent(error)) return null
    throw error
  })
  if (!handle) return null
  try {
    const info = await handle.stat()
    if (info.isDirectory()) {
      await handle.close()
      return null
    }
    if (!info.isFile() || !(await isInside(location.folder))) throw new StorageUnavailable('not a plain file')
    return { handle, size: info.size, modified: info.mtime }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function withObject<T>(
  location: ObjectLocation,
  work: (object: OpenObject) => Promise<T>,
): Promise<T | null> {
  const object = await openObject(location)
  if (!object) return null
  try {
    return await work(object)
  } finally {
    await object.handle.close()
  }
}

export const isObject = async (location: ObjectLocation): Promise<boolean> =>
  (await withObject(location, async () => true)) ?? false

export const readObject = (location: ObjectLocation) =>
  withObject(location, async ({ handle, modified }) => {
    const bytes = new Uint8Array(await handle.readFile())
    return { bytes, etag: createHash('sha256').update(bytes).digest('hex'), modified }
  })

/** What `readObject` would tell, for objects of any size. */
export const digestObject = (location: ObjectLocation) =>
  withObject(location, async ({ handle, modified }) => {
    const hash = createHash('sha256')
    const { next } = readerOf(handle)
    let size = 0
    for (let chunk = await next(); chunk; chunk = await next()) {
      hash.update(chunk)
      size += chunk.length
    }
    return { etag: hash.digest('hex'), size, modified }
  })

/** The object as a stream. Its etag is its digest: a stream that ends well had this one. */
export async function openStream(location: ObjectLocation, sha256: string): Promise<ObjectStream | null> {
  const object = await openAny(location, sha256)
  return object && { ...object, etag: sha256 }
}

/** The object as a stream, whatever its digest when that is `null`. */
export async function openAny(
  location: ObjectLocation,
  sha256: string | null = null,
): Promise<Omit<ObjectStream, 'etag'> | null> {
  const object = await openObject(location)
  if (!object) return null
  const { key } = location
  const { handle, size } = object
  return { key, size, stream: verifiedStream({ key, size, sha256 }, readerOf(handle)) }
}

const readerOf = (handle: FileHandle): ByteReader => ({
  next: async () => {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(CHUNK), 0, CHUNK, null)
    return bytesRead === 0 ? null : buffer.subarray(0, bytesRead)
  },
  close: () => handle.close(),
})

/** The time by the clock that dates the files: that of a file written for the purpose. As fine as the file system's dates (ext4: 4 ms). */
export async function fileSystemTime(staging: string): Promise<Date> {
  const path = await stage(staging, '', false)
  try {
    return (await stat(path)).mtime
  } finally {
    await discard(path)
  }
}
