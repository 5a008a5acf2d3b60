import { discardMany, stageMany, syncFolders } from '#server/adapters/file-system/durable-batch.ts'
import { isAbsent, isTaken, linkTo, makeUnflushed } from '#server/adapters/file-system/durable-file.ts'
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts'
import { type Creation, ObjectConflict, StorageUnavailable, sha256Hex } from '#server/ports/object-store.ts'
import { digestObject, isInside, type ObjectLocation } from './directory-objects.ts'

/**
 * Many new objects, each as whole, create-only and durable as one alone: written aside and flushed together, linked into place one by one, and
 * every folder flushed once at the end. Killed anywhere, each object stands whole or not at all.
 */
export type NewFile = { location: ObjectLocation; bytes: Uint8Array }
export type Staged = { path: string; sha256: string }

const AT_ONCE = 16
/** Files that are open at the same time; together with other work far below what a process may open. */
const OPEN_AT_ONCE = 128

/** Creates the objects; gives, in order, what became of each. Throws when the disk fails, and then any of them may stand. */
export async function createTogether(staging: string, files: readonly NewFile[]): Promise<Creation[]> {
  const { blocked, unflushed } = await prepareFolders(files)
  const creations: Creation[] = []
  for (let n = 0; n < files.length; n += OPEN_AT_ONCE)
    creations.push(...(await createPart(staging, files.slice(n, n + OPEN_AT_ONCE), blocked)))
  const named = files.filter((_, n) => 'etag' in (creations[n] as Creation))
  await syncFolders([...unflushed, ...named.map(({ location }) => location.folder)])
  return creations
}

async function createPart(
  staging: string,
  files: readonly NewFile[],
  blocked: ReadonlySet<string>,
): Promise<Creation[]> {
  const paths = await stageMany(
    staging,
    files.map(({ bytes }) => bytes),
  )
  try {
    return await mapConcurrently(files, AT_ONCE, ({ location, bytes }, n) =>
      create(location, { path: paths[n] as string, sha256: sha256Hex(bytes) }, blocked),
    )
  } finally {
    await discardMany(paths)
  }
}

async function create(
  location: ObjectLocation,
  staged: Staged,
  blocked: ReadonlySet<string>,
): Promise<Creation> {
  if (blocked.has(location.folder))
    return { conflict: new ObjectConflict(location.key, 'a shorter key stands in the way') }
  try {
    return { created: await linkObject(location, staged), etag: staged.sha256 }
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
    return { conflict: error }
  }
}

/** Makes every folder once. `blocked`: those in whose way something else stands; `unflushed`: those in which a name was made. */
async function prepareFolders(files: readonly NewFile[]) {
  const blocked = new Set<string>()
  const folders = [...new Set(files.map(({ location }) => location.folder))]
  const made = await mapConcurrently(folders, AT_ONCE, async (folder) => {
    const parents = await prepareFolder(folder)
    if (!parents) blocked.add(folder)
    return parents ?? []
  })
  return { blocked, unflushed: made.flat() }
}

/** Makes the folder of an object; gives the folders to be flushed for it, or null when a shorter key stands in the way. */
export async function prepareFolder(folder: string): Promise<string[] | null> {
  const parents = await makeUnflushed(folder).catch((error) => {
    if (isTaken(error) || isAbsent(error)) return null
    throw error
  })
  if (parents && !(await isInside(folder)))
    throw new StorageUnavailable('a link stands in the way of the object')
  return parents
}

/** Links new content into place; `false` when equal content stands there already. The folder is to be flushed. */
export async function linkObject(location: ObjectLocation, staged: Staged): Promise<boolean> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const created = await linkTo(staged.path, location.path)
    const standing = created ? null : await digestObject(location)
    if (!created && !standing) continue
    if (standing && standing.etag !== staged.sha256) throw new ObjectConflict(location.key)
    return created
  }
  throw new ObjectConflict(location.key, `a folder or a fleeting object stands at ${location.key}`)
}
