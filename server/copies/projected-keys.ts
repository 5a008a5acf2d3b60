import { projectKeys } from '#domain/membridge/project-keys.ts'
import { CONTENT_ADDRESSED, type ObjectStore } from '#server/ports/object-store.ts'
import { keysBelow, SIGNED } from './copy-objects.ts'

/** Says up to where other objects were published, so it is read before them and is never ahead of them. */
const MARKS = ['publisher/']
/** Written for the moment. */
const PASSING = ['health/', 'probe/']
const PROJECTS = 'projects/'

type Listing = Pick<ObjectStore, 'list'>

const isBelow = (key: string, prefixes: readonly string[]) =>
  prefixes.some((prefix) => key.startsWith(prefix))

const keysOfProject = (key: string) => projectKeys(key.split('/')[1] ?? '')
/** Names a snapshot, which is written before and never removed. */
const isPointer = (key: string) => key.startsWith(PROJECTS) && key === keysOfProject(key).pointer
/** Its epoch is never behind the pointer's, so it is read after that. */
const isLease = (key: string) => key.startsWith(PROJECTS) && key === keysOfProject(key).lease

/** Keys that are neither content-addressed, nor signed, nor of the moment, nor read before the others. */
const isOther = (key: string): boolean =>
  !isBelow(key, [...MARKS, ...CONTENT_ADDRESSED, ...SIGNED, ...PASSING]) && !isPointer(key) && !isLease(key)

/**
 * The keys of projections in the order in which they are to be read: whoever names comes before what it names. The objects of one group
 * must have been read before the next group is listed.
 */
export function* projections(store: Listing): Generator<AsyncIterable<string>> {
  yield keysBelow(store, MARKS)
  yield chosen(store, PROJECTS, isPointer)
  yield chosen(store, PROJECTS, isLease)
  yield chosen(store, '', isOther)
}

async function* chosen(
  store: Listing,
  prefix: string,
  isChosen: (key: string) => boolean,
): AsyncGenerator<string> {
  for await (const key of keysBelow(store, [prefix])) if (isChosen(key)) yield key
}
