import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { inflate, inflateSync } from 'node:zlib'

/**
 * The content of a blob from what the library reads of its object, checked against its id.
 *
 * The library inflates in JavaScript, in the process that serves, and copies three times: ten milliseconds for each megabyte that somebody
 * pushed. Here a large object is inflated by a thread of the runtime, while requests are answered; a small one costs less than handing it over.
 */
export type StoredObject = { oid: string; object: Uint8Array; format?: string; type?: string }

/** Bytes of a deflated object that is inflated at once. */
const AT_ONCE = 8 * 1024

const inflateAside = promisify(inflate)

/** Throws where the object is torn, is not what its id says, or is no blob. */
export async function blobContent({ oid, object, format, type }: StoredObject): Promise<Uint8Array> {
  // The library takes an object out of a pack by itself.
  if (format === 'content') return type === 'blob' ? object : notWhole(oid)
  const small = object.length <= AT_ONCE
  const wrapped = small ? inflateSync(object) : await inflateAside(object)
  const end = wrapped.indexOf(0)
  const header = `blob ${wrapped.length - end - 1}`
  if (end < 0 || wrapped.toString('latin1', 0, end) !== header) notWhole(oid)
  if (createHash('sha1').update(wrapped).digest('hex') !== oid) notWhole(oid)
  const bytes = wrapped.subarray(end + 1)
  // A small one lies in a buffer of sixteen kilobytes, which would be kept with it.
  return small ? new Uint8Array(bytes) : new Uint8Array(wrapped.buffer, bytes.byteOffset, bytes.byteLength)
}

function notWhole(oid: string): never {
  throw new Error(`${oid} is not a whole blob`)
}
