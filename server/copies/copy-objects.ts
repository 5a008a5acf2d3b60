import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { HEADS } from '#server/audit/sign-head.ts'
import { KEYS } from '#server/audit/trusted-keys.ts'
import { ObjectConflict, type ObjectStore, StorageUnavailable } from '#server/ports/object-store.ts'
import type { ArchiveEntry } from './read-archive.ts'
import type { ArchiveWriter } from './write-archive.ts'

const FOLDER = 'objects/'
/** Objects that are fetched ahead of the one that is written. */
const AHEAD = 16
/** Larger objects are streamed, one at a time. Those that are not and are under way together are 64 MiB at most. */
export const LARGE_BYTES = 4 * 1024 * 1024

/** Signed heads of the audit and their keys: written before the row that names them, too. */
export const SIGNED = [HEADS, KEYS]

export async function* keysBelow(
  store: Pick<ObjectStore, 'list'>,
  prefixes: readonly string[],
): AsyncGenerator<string> {
  for (const prefix of prefixes) {
    let after: string | null = ''
    while (after !== null) {
      const { keys, next } = await store.list(prefix, { after })
      yield* keys
      after = next
    }
  }
}

type Source = { store: Pick<ObjectStore, 'get' | 'open'>; largeBytes?: number | undefined }
/** `bytes` is null for a large object, which is opened again in its turn. */
type Fetched = { key: string; bytes: Uint8Array | null }

/** Adds the objects of these keys that are there when they are read; their keys. */
export async function dumpObjects(
  source: Source,
  archive: ArchiveWriter,
  keys: AsyncIterable<string>,
): Promise<Set<string>> {
  const waiting: Promise<Fetched | null>[] = []
  const added = new Set<string>()
  const writeOldest = async () => {
    const object = await waiting.shift()
    if (object && (await writeObject(source, archive, object))) added.add(object.key)
  }
  try {
    for await (const key of keys) {
      const fetched = fetchObject(source, key)
      fetched.catch(() => {}) // Reported when its turn comes.
      waiting.push(fetched)
      if (waiting.length >= AHEAD) await writeOldest()
    }
    while (waiting.length > 0) await writeOldest()
  } finally {
    await Promise.allSettled(waiting)
  }
  return added
}

async function fetchObject(
  { store, largeBytes = LARGE_BYTES }: Source,
  key: string,
): Promise<Fetched | null> {
  const object = await store.open(key)
  if (!object) return null
  if (object.size > largeBytes) {
    object.stream.destroy()
    return { key, bytes: null }
  }
  try {
    return { key, bytes: await buffer(object.stream) }
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    return await store.get(key) // Repeats what was cut off.
  }
}

/** False when it is gone by now. */
async function writeObject(
  { store }: Source,
  archive: ArchiveWriter,
  { key, bytes }: Fetched,
): Promise<boolean> {
  const name = `${FOLDER}${key}`
  if (bytes) {
    await archive.add(name, bytes)
    return true
  }
  const object = await store.open(key)
  if (!object) return false
  try {
    await archive.addFrom({ name, size: object.size }, object.stream)
    return true
  } finally {
    object.stream.destroy()
  }
}

export const isObjectEntry = (name: string): boolean => name.startsWith(FOLDER)

/** The first key in the store that the archive does not hold; null when every one may be from an interrupted restore. */
export async function strangerIn(
  store: Pick<ObjectStore, 'list'>,
  digests: ReadonlyMap<string, string>,
): Promise<string | null> {
  for await (const key of keysBelow(store, [''])) if (!digests.has(`${FOLDER}${key}`)) return key
  return null
}

/** Puts one object into the store; what stands there already must be equal. */
export async function loadObject(
  store: Pick<ObjectStore, 'create'>,
  entry: string,
  bytes: Uint8Array,
): Promise<void> {
  const key = entry.slice(FOLDER.length)
  await expectEqual(key, store.create(key, bytes, typeOf(key)))
}

type LargeTarget = { store: Pick<ObjectStore, 'createFrom'>; spool: string }

/** As `loadObject`, by way of a file: a store may read the bytes more than once, and the archive gives them once. */
export async function loadLargeObject(
  { store, spool }: LargeTarget,
  { name, size, chunks }: ArchiveEntry,
  sha256: string | undefined,
): Promise<void> {
  const key = name.slice(FOLDER.length)
  await mkdir(spool, { recursive: true, mode: 0o700 })
  const path = join(spool, randomUUID())
  try {
    await pipeline(chunks, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    const source = { size, ...(sha256 && { sha256 }), open: () => createReadStream(path) }
    await expectEqual(key, store.createFrom(key, source, typeOf(key)))
  } finally {
    await rm(path, { force: true })
  }
}

function typeOf(key: string): string {
  if (key.endsWith('.md')) return 'text/markdown; charset=utf-8'
  return key.endsWith('.db') ? 'application/octet-stream' : 'application/json'
}

async function expectEqual(key: string, written: Promise<unknown>): Promise<void> {
  try {
    await written
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
    throw new Error(`The object store holds another ${key} already: name an empty bucket`, { cause: error })
  }
}
