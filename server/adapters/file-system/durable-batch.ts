import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts'
import { flush, flushAll } from './create-files.ts'
import { discard, stagedName, syncFolder, write } from './durable-file.ts'

/**
 * Many durable files in one go (see durable-file): all are written aside, then all are flushed, then named by the caller, and then each folder
 * is flushed once. Files that are flushed together share the disk's own commits, and a folder costs as much for one name as for many.
 */
const AT_ONCE = 16

/** Writes new files under names of their own in the staging folder and flushes them; gives their paths in order. When one fails, none is left. */
export async function stageMany(
  staging: string,
  contents: readonly (Uint8Array | string)[],
): Promise<string[]> {
  const paths = contents.map(() => join(staging, stagedName()))
  const files: number[] = []
  try {
    for (const [n, bytes] of contents.entries()) {
      const file = openSync(paths[n] as string, 'wx', 0o644)
      files.push(file)
      await write(file, bytes)
    }
    await flushAll(files, flush)
  } catch (error) {
    await discardMany(paths)
    throw error
  } finally {
    for (const file of files) closeSync(file)
  }
  return paths
}

/** Removes files; those that are not there are fine. */
export const discardMany = (paths: readonly string[]): Promise<unknown> =>
  mapConcurrently(paths, AT_ONCE, discard)

/** Flushes each of these folders once. */
export const syncFolders = (folders: Iterable<string>): Promise<unknown> =>
  mapConcurrently([...new Set(folders)], AT_ONCE, syncFolder)
