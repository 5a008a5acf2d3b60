import { lstat, mkdir, stat } from 'node:fs/promises'
import { EdgeFault, reasonOf } from '../fault.ts'
import { fileMark } from '../sqlite/file-mark.ts'
import { folderOf, locateDatabase } from '../sqlite/install-file.ts'
import { takeSnapshot } from '../sqlite/snapshot.ts'
import { removeDatabase } from '../sqlite/temporary-file.ts'

/** The content of a database, digested over a vacuumed copy as both sides of a sync do. */
export type LocalContent = {
  path: string
  sha256: string
  contentSha256: string
  observations: number
  /** The file as it was before it was read (`fileMark`). */
  mark: string | null
}

/** What stands at the name, links followed; null where there is no database. The copy is removed again. Throws `EdgeFault`. */
export async function readLocalContent(database: string, maxBytes: number): Promise<LocalContent | null> {
  const path = await locateDatabase(database)
  return path === null ? null : digestContent(path, maxBytes)
}

/** Digests the content of a database file as a push would. Throws `EdgeFault`. */
export async function digestContent(path: string, maxBytes: number): Promise<LocalContent> {
  const mark = await fileMark(path)
  const snapshot = await takeSnapshot(path, { maxBytes })
  await removeDatabase(snapshot.path)
  const { sha256, contentSha256, counts } = snapshot
  return { path, sha256, contentSha256, observations: counts.observations, mark }
}

/** The folder that the database lies in or will; its last component is made on a node that has none yet. Throws `EdgeFault`. */
export async function readyFolder(database: string): Promise<string> {
  const folder = await folderOf(database)
  try {
    if ((await lstat(folder).catch(() => null)) === null) await mkdir(folder, { mode: 0o700 })
    if ((await stat(folder)).isDirectory()) return folder
  } catch (error) {
    throw new EdgeFault(`${folder} cannot be used (${reasonOf(error)}): make it, or check CLAUDE_MEM_DB`, {
      cause: error,
    })
  }
  throw new EdgeFault(`${folder} is not a folder: check CLAUDE_MEM_DB`)
}
