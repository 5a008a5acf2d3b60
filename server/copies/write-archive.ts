/**
 * Writes an archive: a tar file with gzip that ends with the digests of all entries and the manifest.
 *
 * It grows under `<file>.partial`, readable by its owner alone, and gets its name when it is whole and flushed. A fault at
 * any point, a full disk included, rejects the running call; `discard` then leaves nothing behind. What a killed process left
 * is named and not touched, since it may be that of a backup under way.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import { DIGESTS_ENTRY, MANIFEST_ENTRY, type Manifest } from './manifest.ts'

export type EntryHeader = { name: string; size: number }

export type ArchiveWriter = {
  add(name: string, bytes: Uint8Array): Promise<void>
  /** Adds what a source gives; one that gives more or less than announced rejects. */
  addFrom(header: EntryHeader, source: AsyncIterable<Uint8Array>): Promise<void>
  /** Adds a file that does not change while it is read; one that does rejects. */
  addFile(name: string, path: string): Promise<void>
  /** Ends the archive and gives it its name; the size and SHA-256 of the whole file. */
  finish(manifest: Omit<Manifest, 'digests_sha256'>): Promise<{ bytes: number; sha256: string }>
  /** Removes what was written. */
  discard(): Promise<void>
}

/** Opens an archive that is to be `file`, which must not exist yet. */
export async function openArchiveWriter(file: string): Promise<ArchiveWriter> {
  const partial = `${file}.partial`
  if (await stat(file).catch(() => null)) throw new Error(`${file} exists already`)
  const output = (await openPartial(partial)).createWriteStream({ flush: true })
  const archive = pack()
  const whole = createHash('sha256')
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      whole.update(chunk)
      done(null, chunk)
    },
  })
  const written = pipeline(archive, createGzip(), hashing, output)
  // A fault of the output would leave the entry that is being written waiting for ever.
  let fault: unknown = null
  let failEntry: (error: unknown) => void = () => {}
  written.catch((error: unknown) => {
    fault = error
    failEntry(error)
  })
  const lines: string[] = []

  const addEntry = (header: EntryHeader, source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) => {
    const digest = createHash('sha256')
    return new Promise<string>((resolve, reject) => {
      if (fault) return reject(fault)
      failEntry = reject
      const sink = archive.entry({ ...header, mode: 0o600, type: 'file' }, (error) =>
        error ? reject(error) : resolve(digest.digest('hex')),
      )
      pipeline(hashed(source, digest), sink).catch(reject)
    })
  }
  const addListed = async (header: EntryHeader, source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) => {
    lines.push(`${await addEntry(header, source)}  ${header.name}\n`)
  }

  return {
    add: (name, bytes) => addListed({ name, size: bytes.length }, [bytes]),
    addFrom: addListed,
    async addFile(name, path) {
      const { size } = await stat(path)
      await addListed({ name, size }, createReadStream(path))
    },
    async finish(manifest) {
      const digests = Buffer.from(lines.join(''))
      const digests_sha256 = await addEntry({ name: DIGESTS_ENTRY, size: digests.length }, [digests])
      const text = Buffer.from(`${JSON.stringify({ ...manifest, digests_sha256 }, null, 2)}\n`)
      await addEntry({ name: MANIFEST_ENTRY, size: text.length }, [text])
      archive.finalize()
      await written
      await takeName(partial, file)
      await flushFolderOf(file)
      return { bytes: (await stat(file)).size, sha256: whole.digest('hex') }
    },
    async discard() {
      archive.destroy()
      await written.catch(() => {})
      await rm(partial, { force: true })
    },
  }
}

async function openPartial(partial: string): Promise<FileHandle> {
  try {
    return await open(partial, 'wx', 0o600)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
    throw new Error(`${partial} exists: another backup is being written there, or was killed; then remove it`)
  }
}

async function* hashed(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  digest: ReturnType<typeof createHash>,
) {
  for await (const chunk of source) {
    digest.update(chunk)
    yield chunk
  }
}

/** A link, unlike a rename, takes no name that somebody else has taken meanwhile; not every file system has links. */
async function takeName(partial: string, file: string): Promise<void> {
  try {
    await link(partial, file)
    await rm(partial)
  } catch (error) {
    if (isCode(error, 'EEXIST') || (await stat(file).catch(() => null)))
      throw new Error(`${file} exists already`, { cause: error })
    await rename(partial, file)
  }
}

/** Systems that cannot flush a folder are silent about it. */
async function flushFolderOf(file: string): Promise<void> {
  const folder = await open(dirname(file)).catch((error) => {
    if (isCode(error, 'EISDIR', 'EPERM', 'EACCES')) return null
    throw error
  })
  try {
    await folder?.sync()
  } catch (error) {
    if (!isCode(error, 'EINVAL', 'EPERM', 'EISDIR')) throw error
  } finally {
    await folder?.close()
  }
}

const isCode = (error: unknown, ...codes: string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? '')
