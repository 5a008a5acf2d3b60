import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/**
 * Digests of a database file, read once and never held whole [edge#content-digest].
 *
 * `sha256` is over the bytes as they are. `contentSha256` is over the bytes of a vacuumed copy with the header fields blanked that
 * each VACUUM or write changes though the content stays: file change counter (24–27), schema cookie (40–43), version-valid-for
 * and SQLite version (92–99). Two vacuumed copies of one content agree in it, whoever made them.
 */
export type FileDigest = { bytes: number; sha256: string; contentSha256: string }

const BLANKED = [
  [24, 28],
  [40, 44],
  [92, 100],
] as const
const HEADER_BYTES = 100

export async function digestFile(path: string): Promise<FileDigest> {
  const plain = createHash('sha256')
  const content = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    plain.update(chunk)
    content.update(bytes < HEADER_BYTES ? blanked(chunk, bytes) : chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: plain.digest('hex'), contentSha256: content.digest('hex') }
}

/** A copy of the chunk that begins at `offset` of the file, without the fields that do not count. */
function blanked(chunk: Buffer, offset: number): Buffer {
  const copy = Buffer.from(chunk)
  for (const [from, to] of BLANKED) {
    const [begin, end] = [Math.max(from - offset, 0), Math.min(to - offset, copy.length)]
    if (begin < end) copy.fill(0, begin, end)
  }
  return copy
}
