import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflate, deflateSync, inflate, inflateSync } from 'node:zlib'

/**
 * Blobs and trees between their content and the bytes of their files; what is read is checked against its id.
 *
 * The library sends each object through a stream of the web's kind, and copies three times: a millisecond for a note of a few lines, ten for each
 * megabyte, in the process that serves. Here a large object is packed by a thread of the runtime, while requests are answered; a small
 * one costs less than handing it over.
 */
export type ObjectKind = 'blob' | 'tree' | 'commit'
export type StoredObject = { oid: string; object: Uint8Array; format?: string; type?: string }

/** Bytes of a deflated object that is inflated at once. */
const INFLATED_AT_ONCE = 8 * 1024
/** Bytes of a content that is deflated at once. */
const DEFLATED_AT_ONCE = 16 * 1024

const inflateAside = promisify(inflate)
const deflateAside = promisify<Uint8Array, Buffer>(deflate)
const idOf = (wrapped: Uint8Array): string => createHash('sha1').update(wrapped).digest('hex')

/** Where the file of an object lies, unless it is in a pack. */
export const looseFile = (gitdir: string, oid: string): string =>
  `${gitdir}/objects/${oid.slice(0, 2)}/${oid.slice(2)}`

/** The id of an object with this content, and the bytes of its file. */
export async function looseObject(
  kind: ObjectKind,
  content: Uint8Array,
): Promise<{ oid: string; object: Buffer }> {
  const wrapped = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content])
  const object = wrapped.length <= DEFLATED_AT_ONCE ? deflateSync(wrapped) : await deflateAside(wrapped)
  return { oid: idOf(wrapped), object }
}

/** The content of what the library read. Throws where the object is torn, is not what its id says, or is of another kind. */
export async function contentOf(
  kind: ObjectKind,
  { oid, object, format, type }: StoredObject,
): Promise<Uint8Array> {
  // The library takes an object out of a pack by itself.
  if (format === 'content') return type === kind ? object : notWhole(kind, oid)
  const small = object.length <= INFLATED_AT_ONCE
  const wrapped = await unpacked(object, { small, isWrapped: format === 'wrapped' })
  const end = wrapped.indexOf(0)
  const header = `${kind} ${wrapped.length - end - 1}`
  if (end < 0 || wrapped.toString('latin1', 0, end) !== header) notWhole(kind, oid)
  if (idOf(wrapped) !== oid) notWhole(kind, oid)
  const bytes = wrapped.subarray(end + 1)
  // A small one lies in a buffer of sixteen kilobytes, which would be kept with it.
  return small ? new Uint8Array(bytes) : new Uint8Array(wrapped.buffer, bytes.byteOffset, bytes.byteLength)
}

/** The empty tree has no file: the library gives it as it is. */
async function unpacked(
  object: Uint8Array,
  { small, isWrapped }: { small: boolean; isWrapped: boolean },
): Promise<Buffer> {
  if (isWrapped) return Buffer.from(object)
  return small ? inflateSync(object) : await inflateAside(object)
}

function notWhole(kind: ObjectKind, oid: string): never {
  throw new Error(`${oid} is not a whole ${kind}`)
}
