import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { ArtifactCorrupt, StorageUnavailable } from './object-store.ts'

/** What an adapter reads from: the next bytes or null at the end, and how to let go of it. */
export type ByteReader = { next(): Promise<Uint8Array | null>; close(): Promise<void> | void }

/**
 * The bytes of an object as a stream that ends well only when they were all there and have the digest that was asked for, if any was:
 * else it fails with `StorageUnavailable` (cut off) or `ArtifactCorrupt`. It reads no further than it is read, and lets go of
 * its reader when it ends, fails or is destroyed.
 */
export function verifiedStream(
  expected: { key: string; size: number; sha256: string | null },
  reader: ByteReader,
): Readable {
  const hash = expected.sha256 === null ? null : createHash('sha256')
  let size = 0
  const step = async (): Promise<Uint8Array | null> => {
    const chunk = await reader.next()
    if (chunk) {
      size += chunk.length
      hash?.update(chunk)
      return chunk
    }
    if (size !== expected.size)
      throw new StorageUnavailable(
        `the object ${expected.key} was cut off at ${size} of ${expected.size} bytes`,
      )
    const actual = hash?.digest('hex') ?? ''
    if (expected.sha256 !== null && actual !== expected.sha256)
      throw new ArtifactCorrupt(expected.key, expected.sha256, actual)
    return null
  }
  return new Readable({
    read() {
      step().then(
        (chunk) => this.push(chunk),
        (error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      Promise.resolve(reader.close()).then(
        () => done(error),
        () => done(error),
      )
    },
  })
}
