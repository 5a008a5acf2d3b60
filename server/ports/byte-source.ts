import { createHash } from 'node:crypto'

/**
 * Bytes on their way into a store, and what is promised of them.
 *
 * A store may need the bytes again (the connection broke, or the size has to be known first), so a source can be opened more
 * than once. It is read by one reader at a time, only as fast as the store takes the bytes, and no chunk is changed after it
 * was given. The last chunk is kept back until size and digest are known to be as announced: a store that has not received
 * it has nothing to keep.
 */
export type ByteSource = {
  /** Gives the bytes from the first one, every time. */
  open(): AsyncIterable<Uint8Array>
  /** The number of bytes, when it is known. A source that holds another number fails. */
  size?: number
  /** The digest, when it is known, as 64 lower-case hex digits. A source with another digest fails. */
  sha256?: string
}

/** Size and SHA-256 of what was read. */
export type ByteTally = { size: number; sha256: string }

/** The source of a streamed write broke, or is not what it announced. Nothing was written; the cause is the source's own fault. */
export class SourceFailed extends Error {
  constructor(cause: unknown) {
    super(`the bytes to write could not be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
    this.name = 'SourceFailed'
  }
}

/** Bytes in memory as a source. */
export const sourceOf = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  open: async function* () {
    yield bytes
  },
})

export type SourceReading = {
  /** Throws `SourceFailed`; ending the iteration early closes the source. */
  chunks: AsyncGenerator<Uint8Array>
  /** What was read, once all of it was read and found as announced; null before. */
  tally(): ByteTally | null
}

/** Opens a source, and counts, hashes and checks what it gives. */
export function readSource(source: ByteSource): SourceReading {
  let tally: ByteTally | null = null
  async function* chunks() {
    const hash = createHash('sha256')
    let size = 0
    let pending: Uint8Array | null = null
    for await (const chunk of faultsOf(source.open())) {
      if (chunk.length === 0) continue
      size += chunk.length
      hash.update(chunk)
      if (source.size !== undefined && size > source.size)
        throw new SourceFailed(new Error(`more than the ${source.size} bytes that were announced`))
      if (pending) yield pending
      pending = chunk
    }
    const read = { size, sha256: hash.digest('hex') }
    if (source.size !== undefined && size !== source.size)
      throw new SourceFailed(new Error(`${size} instead of the ${source.size} bytes that were announced`))
    if (source.sha256 !== undefined && read.sha256 !== source.sha256)
      throw new SourceFailed(new Error(`their digest is ${read.sha256} instead of ${source.sha256}`))
    tally = read
    if (pending) yield pending
  }
  return { chunks: chunks(), tally: () => tally }
}

async function* faultsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch (error) {
    throw new SourceFailed(error)
  }
}

/** Reads a source to its end for its size and digest alone. */
export async function measure(source: ByteSource): Promise<ByteTally> {
  const reading = readSource(source)
  for await (const _ of reading.chunks);
  return reading.tally() as ByteTally
}

/** The same bytes in parts of `partBytes`, of which only the last is shorter; each part is a buffer of its own. */
export async function* inParts(
  chunks: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Uint8Array> {
  let part = Buffer.allocUnsafeSlow(partBytes)
  let filled = 0
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      const taken = Math.min(partBytes - filled, chunk.length - from)
      part.set(chunk.subarray(from, from + taken), filled)
      filled += taken
      from += taken
      if (filled < partBytes) continue
      yield part
      part = Buffer.allocUnsafeSlow(partBytes)
      filled = 0
    }
  }
  if (filled > 0) yield part.subarray(0, filled)
}
