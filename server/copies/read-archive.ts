/**
 * Reads an archive: once to verify all of it, then again to take out what it holds.
 *
 * Nothing of an archive is used before every entry has the digest that the archive's own list gives it, the list has the
 * digest that the manifest gives it, and no entry is missing, doubled or unlisted. The second reading compares again, so a file
 * that changed in between is noticed.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { sha256Hex } from '#server/ports/object-store.ts'
import {
  BackupUnusable,
  DIGESTS_ENTRY,
  MANIFEST_ENTRY,
  type Manifest,
  parseManifest,
  SECRETS_ENTRY,
} from './manifest.ts'

/** `digests` has every entry but the two that describe the others; `secrets` is the text of secrets.json, if it is in it. */
export type VerifiedArchive = {
  file: string
  manifest: Manifest
  digests: ReadonlyMap<string, string>
  secrets: Buffer | null
}
export type ArchiveEntry = {
  name: string
  size: number
  chunks: AsyncIterable<Uint8Array>
  bytes(): Promise<Buffer>
}

/** Verification holds the list, the manifest and the secrets at once, a restore only secrets and small objects: what the first takes, the second does. */
const MAX_BUFFERED = 512 * 1024 * 1024

/** Verifies the whole archive; throws BackupUnusable and has changed nothing when it is damaged. */
export async function verifyArchive(file: string): Promise<VerifiedArchive> {
  const found = new Map<string, string>()
  let list: Buffer | null = null
  let manifest: Manifest | null = null
  let secrets: Buffer | null = null
  for await (const entry of entriesOf(file)) {
    if (manifest) throw new BackupUnusable('something follows its manifest')
    if (entry.name === MANIFEST_ENTRY) manifest = parseManifest((await entry.bytes()).toString('utf8'))
    else if (entry.name === DIGESTS_ENTRY) list = await entry.bytes()
    else if (found.has(entry.name)) throw new BackupUnusable(`${entry.name} is in it twice`)
    else if (entry.name === SECRETS_ENTRY) {
      secrets = await entry.bytes()
      found.set(entry.name, sha256Hex(secrets))
    } else found.set(entry.name, await digestOf(entry.chunks))
  }
  if (!manifest || !list) throw new BackupUnusable('it is not whole')
  if (sha256Hex(list) !== manifest.digests_sha256) throw new BackupUnusable('its list of digests is damaged')
  const digests = parseDigests(list.toString('utf8'))
  for (const [name, digest] of digests)
    if (found.get(name) !== digest) throw new BackupUnusable(`${name} is missing or damaged`)
  if (found.size !== digests.size) throw new BackupUnusable('it holds entries that it does not list')
  return { file, manifest, digests, secrets }
}

/** Hands each entry of a verified archive to `take`, in order; throws when one is not what was verified. */
export async function readArchive(
  { file, digests }: VerifiedArchive,
  take: (entry: ArchiveEntry) => Promise<void>,
): Promise<void> {
  for await (const entry of entriesOf(file)) {
    const expected = digests.get(entry.name)
    if (expected === undefined) {
      await digestOf(entry.chunks)
      continue
    }
    const digest = createHash('sha256')
    const chunks = tapped(entry.chunks, digest)
    await take({ ...entry, chunks, bytes: () => collect(chunks) })
    if (digest.digest('hex') !== expected) throw new BackupUnusable(`${entry.name} changed while it was read`)
  }
}

async function* entriesOf(file: string): AsyncGenerator<ArchiveEntry> {
  const archive = extract()
  const reading = pipeline(createReadStream(file), createGunzip(), archive)
  // A fault of the file destroys `archive`, and the loop below throws it.
  reading.catch(() => {})
  try {
    for await (const entry of archive) {
      if (entry.header.type !== 'file') throw new BackupUnusable(`${entry.header.name} is no plain file`)
      const chunks = naming(file, entry as AsyncIterable<Uint8Array>)
      const { name, size = 0 } = entry.header
      yield { name, size, chunks, bytes: () => collect(chunks) }
    }
    await reading
  } catch (error) {
    throw named(file, error)
  } finally {
    archive.destroy()
  }
}

async function* naming(file: string, chunks: AsyncIterable<Uint8Array>) {
  try {
    yield* chunks
  } catch (error) {
    throw named(file, error)
  }
}

function named(file: string, error: unknown): unknown {
  if (error instanceof BackupUnusable || !isArchiveFault(error)) return error
  return new BackupUnusable(`${file} is no whole archive (${(error as Error).message})`, { cause: error })
}

/** Faults of gzip and tar, as opposed to those of the disk and of whoever takes the entries. */
const isArchiveFault = (error: unknown): boolean => {
  const { code = '', message = '' } = error as NodeJS.ErrnoException
  return code.startsWith('Z_') || /tar header|end of data|end of file|Premature close/i.test(message)
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > MAX_BUFFERED) throw new BackupUnusable('an entry is larger than any of ours')
    parts.push(chunk)
  }
  return Buffer.concat(parts)
}

async function digestOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of chunks) digest.update(chunk)
  return digest.digest('hex')
}

async function* tapped(chunks: AsyncIterable<Uint8Array>, digest: ReturnType<typeof createHash>) {
  for await (const chunk of chunks) {
    digest.update(chunk)
    yield chunk
  }
}

/** The lines of `sha256sum`; names of ours hold no line break. */
function parseDigests(text: string): Map<string, string> {
  const digests = new Map<string, string>()
  for (const line of text.split('\n').filter(Boolean)) {
    const [, digest, name] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? []
    if (!digest || !name) throw new BackupUnusable('its list of digests is damaged')
    digests.set(name, digest)
  }
  return digests
}
