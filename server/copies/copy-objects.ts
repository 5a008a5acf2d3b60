import { HEADS } from '#server/audit/sign-head.ts'
import { KEYS } from '#server/audit/trusted-keys.ts'
import { CONTENT_ADDRESSED, ObjectConflict, type ObjectStore } from '#server/ports/object-store.ts'
import type { ArchiveWriter } from './write-archive.ts'

const FOLDER = 'objects/'
/** Objects that are fetched ahead of the one that is written. */
const AHEAD = 16

/** Signed heads of the audit and their keys: written before the row that names them, too. */
export const SIGNED = [HEADS, KEYS]
/** Says up to where other objects were published, so it is read before them and is never ahead of them. */
export const MARKS = ['publisher/']
/** Written for the moment. */
const PASSING = ['health/', 'probe/']

const isBelow = (key: string, prefixes: readonly string[]) =>
  prefixes.some((prefix) => key.startsWith(prefix))

/** Keys that are neither marks, nor content-addressed, nor signed, nor of the moment. */
export const isProjection = (key: string): boolean =>
  !isBelow(key, [...MARKS, ...CONTENT_ADDRESSED, ...SIGNED, ...PASSING])

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

/** Adds the objects of these keys that are there when they are read; their keys. */
export async function dumpObjects(
  store: Pick<ObjectStore, 'get'>,
  archive: ArchiveWriter,
  keys: AsyncIterable<string>,
): Promise<Set<string>> {
  const waiting: Promise<{ key: string; bytes: Uint8Array } | null>[] = []
  const added = new Set<string>()
  const writeOldest = async () => {
    const object = await waiting.shift()
    if (!object) return
    await archive.add(`${FOLDER}${object.key}`, object.bytes)
    added.add(object.key)
  }
  try {
    for await (const key of keys) {
      const fetched = store.get(key)
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
  const type = key.endsWith('.md') ? 'text/markdown; charset=utf-8' : 'application/json'
  try {
    await store.create(key, bytes, type)
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
    throw new Error(`The object store holds another ${key} already: name an empty bucket`, { cause: error })
  }
}
