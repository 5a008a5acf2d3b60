import fs from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts'
import { discard, stagedName, syncFolder } from './durable-file.ts'

/**
 * Many durable files in one go (see durable-file): all are written aside, then all are flushed, then named by the caller, and then each folder
 * is flushed once. Files that are flushed together share the disk's own commits, and a folder costs as much for one name as for many.
 */
const AT_ONCE = 16

/** Descriptors, since a `FileHandle` costs several times as much as a small file itself. */
const file = {
  open: promisify(fs.open),
  write: promisify(fs.writeFile),
  flush: promisify(fs.fsync),
  close: promisify(fs.close),
}

/** Writes new files under names of their own in the staging folder and flushes them; gives their paths in order. When one fails, none is left. */
export async function stageMany(
  staging: string,
  contents: readonly (Uint8Array | string)[],
): Promise<string[]> {
  const paths = contents.map(() => join(staging, stagedName()))
  const files: number[] = []
  try {
    await mapConcurrently(contents, AT_ONCE, async (bytes, n) => {
      const fd = await file.open(paths[n] as string, 'wx', 0o644)
      files.push(fd)
      await file.write(fd, bytes)
    })
    await mapConcurrently(files, AT_ONCE, (fd) => file.flush(fd))
  } catch (error) {
    await discardMany(paths)
    throw error
  } finally {
    await mapConcurrently(files, AT_ONCE, (fd) => file.close(fd))
  }
  return paths
}

/** Removes files; those that are not there are fine. */
export const discardMany = (paths: readonly string[]): Promise<unknown> =>
  mapConcurrently(paths, AT_ONCE, discard)

/** Flushes each of these folders once. */
export const syncFolders = (folders: Iterable<string>): Promise<unknown> =>
  mapConcurrently([...new Set(folders)], AT_ONCE, syncFolder)
