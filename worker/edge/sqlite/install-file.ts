import { chmod, lstat, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { linkInto, syncFolder } from '#server/adapters/file-system/durable-file.ts'
import { EdgeFault, reasonOf } from '../fault.ts'
import { openDatabase, sqliteFault } from './open-database.ts'
import { COMPANIONS, syncFile } from './temporary-file.ts'

/**
 * Putting a whole file in the place of a database, so that a kill at any point leaves the old or the new one, never a mix [edge#replace].
 *
 * A `-wal` belongs to the file it was written for; beside another one SQLite replays old rows over new ones. So the old database
 * leaves WAL mode first (all it holds is then in its main file), and an exclusive lock keeps others out until the rename:
 * a worker that comes back meanwhile waits, and meets the new file. While any other process has the database open, leaving
 * WAL mode is refused, and nothing has changed. Locks of a file end when its process closes any other handle of it: nothing here
 * opens the database but that connection.
 */
export type InstallStep = 'leave-wal' | 'remove-companions' | 'flush' | 'rename' | 'flush-folder'

/** Called before each step. */
export type OnStep<S extends string> = (step: S) => void

/** The database that will be replaced, target by one connection since before its backup; `connection` is null where there is none. */
export type ReplaceTarget = {
  path: string
  connection: DatabaseSync | null
  /** Changes when another connection has committed since. */
  version: () => number
}

/** Opens the database to replace it; a link is followed, so that the link stays one. Throws `EdgeFault`. */
export async function openTarget(given: string, busyMs?: number): Promise<ReplaceTarget> {
  const path = await locateDatabase(given)
  if (path === null) return { path: given, connection: null, version: () => 0 }
  let connection: DatabaseSync | undefined
  try {
    connection = openDatabase(path, { writable: true, ...(busyMs === undefined ? {} : { busyMs }) })
    const version = versionOf(connection)
    version()
    return { path, connection, version }
  } catch (error) {
    connection?.close()
    throw sqliteFault(error, path)
  }
}

/** The database's file with links followed, null when its name does not exist. Throws `EdgeFault`. */
export async function locateDatabase(given: string): Promise<string | null> {
  try {
    if ((await lstat(given).catch(absentAsNull)) === null) return null
    const path = await realpath(given)
    if ((await stat(path)).isFile()) return path
  } catch (error) {
    throw new EdgeFault(
      `${given} cannot be looked at (${reasonOf(error)}): mount the disk it links to, or check CLAUDE_MEM_DB`,
      { cause: error },
    )
  }
  throw new EdgeFault(`${given} is not a file: check CLAUDE_MEM_DB`)
}

function absentAsNull(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

/** The folder in which the database lies, links followed: what replaces it has to be fetched into this one. Throws `EdgeFault`. */
export const folderOf = async (given: string): Promise<string> =>
  dirname((await locateDatabase(given)) ?? given)

const versionOf = (connection: DatabaseSync) => () =>
  Number(connection.prepare('PRAGMA data_version').get()?.data_version)

/**
 * Puts `incoming` (in the same folder) in the place of the target. `seen` is the target's version when it was backed up. Before
 * `flush-folder` begins, the target is as it was.
 */
export async function installFile(
  target: ReplaceTarget,
  incoming: string,
  { seen, onStep }: { seen: number; onStep: OnStep<InstallStep> },
): Promise<void> {
  const { path, connection } = target
  onStep('leave-wal')
  lockAlone(target, seen)
  onStep('remove-companions')
  if (connection) await removeCompanions(path)
  else await refuseCompanions(path)
  onStep('flush')
  if (connection) await chmod(incoming, (await stat(path)).mode & 0o777)
  await syncFile(incoming)
  onStep('rename')
  if (connection) await rename(incoming, path)
  else if (!(await linkInto(incoming, path))) throw new EdgeFault(`${path} appeared meanwhile: pull again`)
  onStep('flush-folder')
  await syncFolder(dirname(path))
}

/** Removes the target database itself, which has been copied at version `seen`; refused while another process uses it. */
export async function removeTarget(target: ReplaceTarget, seen: number): Promise<void> {
  lockAlone(target, seen)
  await removeCompanions(target.path)
  await rm(target.path)
  await syncFolder(dirname(target.path))
}

/** Puts `incoming`, or nothing, in the place of a file that SQLite cannot use; it has been copied before. */
export async function overwriteDamaged(path: string, incoming: string | null): Promise<void> {
  await removeCompanions(path)
  if (incoming === null) await rm(path, { force: true })
  else {
    await chmod(incoming, (await stat(path)).mode & 0o777)
    await syncFile(incoming)
    await rename(incoming, path)
  }
  await syncFolder(dirname(path))
}

async function removeCompanions(path: string): Promise<void> {
  for (const suffix of COMPANIONS) await rm(`${path}${suffix}`, { force: true })
}

/** SQLite would play a `-wal` or `-journal` that it finds into the new file, and its rows may exist nowhere else. */
async function refuseCompanions(path: string): Promise<void> {
  for (const suffix of ['-journal', '-wal']) {
    const left = await lstat(`${path}${suffix}`).catch(absentAsNull)
    if (left && left.size > 0)
      throw new EdgeFault(
        `${path}${suffix} is left of a database that is not there: rename both alike, and pull again`,
      )
  }
}

/** Brings everything into the main file and keeps all other processes out. */
function lockAlone({ path, version, connection }: ReplaceTarget, seen: number): void {
  if (!connection) return
  try {
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const left = connection.prepare('PRAGMA journal_mode = DELETE').get()?.journal_mode
    connection.exec('BEGIN EXCLUSIVE')
    const mode = connection.prepare('PRAGMA journal_mode').get()?.journal_mode
    if (left !== 'delete' || mode !== 'delete')
      throw new EdgeFault(`${path} is in use by another process: close what uses it and pull again`)
  } catch (error) {
    throw sqliteFault(error, path)
  }
  if (version() !== seen)
    throw new EdgeFault(`${path} changed after it was backed up: close what writes to it and pull again`)
}
