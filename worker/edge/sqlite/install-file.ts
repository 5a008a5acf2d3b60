import { chmod, lstat, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { linkInto, syncFolder } from '#server/adapters/file-system/durable-file.ts'
import { EdgeFault, reasonOf } from '../fault.ts'
import { type FileId, fileIdOf, usersOf } from './file-users.ts'
import { openDatabase, sqliteFault } from './open-database.ts'
import { COMPANIONS, syncFile } from './temporary-file.ts'

/**
 * Putting a whole file in the place of a database, so that a kill at any point leaves the old or the new one, never a mix [edge#replace].
 *
 * A `-wal` belongs to the file it was written for; beside another one SQLite replays old rows over new ones. So the old database
 * leaves WAL mode first (all it holds is then in its main file), and an exclusive lock keeps others out until the rename:
 * a worker that comes back meanwhile waits for the lock. Leaving WAL mode is refused while any other process has the database open. In rollback
 * mode only a process that is at work in it stops the lock, and one that merely has it open is looked for (file-users.ts); one that
 * opens it after that look would go on in the old file, and is told by its number. Whatever fails before the rename, the database
 * is given back in the mode it had. Locks of a file end when its process closes any other handle of it: nothing here
 * opens the database but that connection.
 */
export type InstallStep = 'leave-wal' | 'remove-companions' | 'flush' | 'rename' | 'flush-folder'

/** Called before each step. */
export type OnStep<S extends string> = (step: S) => void

/** The database that will be replaced, held by one connection since before its backup; `connection` is null where there is none. */
export type ReplaceTarget = {
  path: string
  connection: DatabaseSync | null
  /** The journal mode in which it was found. */
  mode: string
  /** Changes when another connection has committed since. */
  version: () => number
}

/** Opens the database to replace it; a link is followed, so that the link stays one. Throws `EdgeFault`. */
export async function openTarget(given: string, busyMs?: number): Promise<ReplaceTarget> {
  const path = await locateDatabase(given)
  if (path === null) return { path: given, connection: null, mode: 'delete', version: () => 0 }
  let connection: DatabaseSync | undefined
  try {
    connection = openDatabase(path, { writable: true, ...(busyMs === undefined ? {} : { busyMs }) })
    const version = versionOf(connection)
    version()
    return { path, connection, mode: modeOf(connection), version }
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

const modeOf = (connection: DatabaseSync): string =>
  String(connection.prepare('PRAGMA journal_mode').get()?.journal_mode)

const versionOf = (connection: DatabaseSync) => () =>
  Number(connection.prepare('PRAGMA data_version').get()?.data_version)

export type InstallOptions = {
  /** The target's version when it was backed up. */
  seen: number
  onStep: OnStep<InstallStep>
  /** Told of each process that still has the old file open afterwards. */
  warn: (line: string) => void
}

/** Puts `incoming` (in the same folder) in the place of the target. Before `flush-folder` begins, the target is as it was. */
export async function installFile(
  target: ReplaceTarget,
  incoming: string,
  { seen, onStep, warn }: InstallOptions,
): Promise<void> {
  const { path, connection } = target
  const old = connection ? await fileIdOf(path) : null
  onStep('leave-wal')
  await whileAlone(target, seen, async () => {
    onStep('remove-companions')
    if (connection) await removeCompanions(path)
    else await refuseCompanions(path)
    onStep('flush')
    if (connection) await chmod(incoming, (await stat(path)).mode & 0o777)
    await syncFile(incoming)
    if (old) await refuseUsers(path, old)
    onStep('rename')
    if (connection) await rename(incoming, path)
    else if (!(await linkInto(incoming, path))) throw new EdgeFault(`${path} appeared meanwhile: pull again`)
  })
  onStep('flush-folder')
  await syncFolder(dirname(path))
  for (const { pid, name } of old ? await usersOf(old) : [])
    warn(`process ${pid} (${name}) still has the old database open, and writes into it are lost: restart it`)
}

/** Removes the target database itself, which has been copied at version `seen`; refused while another process uses it. */
export async function removeTarget(target: ReplaceTarget, seen: number): Promise<void> {
  const { path } = target
  const old = await fileIdOf(path)
  await whileAlone(target, seen, async () => {
    await removeCompanions(path)
    await refuseUsers(path, old)
    await rm(path)
  })
  await syncFolder(dirname(path))
}

async function refuseUsers(path: string, file: FileId): Promise<void> {
  const users = (await usersOf(file)).map(({ pid, name }) => `${pid} (${name})`)
  if (users.length > 0)
    throw new EdgeFault(
      `${path} is in use by another process, ${users.join(', ')}: close what uses it and pull again`,
    )
}

/** Once `work` is done the file of the connection has no name any more; when it fails, the database is given back as it was found. */
async function whileAlone(target: ReplaceTarget, seen: number, work: () => Promise<void>): Promise<void> {
  try {
    lockAlone(target, seen)
    await work()
  } catch (error) {
    if (target.connection) restoreMode(target.connection, target.mode)
    throw error
  }
}

/** The mode is what claude-mem works with, not what the rows depend on: where another process stands against it, it stays. */
function restoreMode(connection: DatabaseSync, mode: string): void {
  try {
    if (connection.isTransaction) connection.exec('ROLLBACK')
    if (mode === 'wal') setWal(connection)
  } catch {
    // The fault that led here is the one to tell.
  }
}

const setWal = (connection: DatabaseSync): void => connection.exec('PRAGMA journal_mode = WAL')

/**
 * Puts the database into WAL mode, as claude-mem has it: only there does any process that has it open stand against a replacement. One that
 * already works in it, or a file system without WAL, keeps the mode it has.
 */
export function enterWal(path: string): void {
  let connection: DatabaseSync | undefined
  try {
    connection = openDatabase(path, { writable: true, busyMs: 0 })
    setWal(connection)
  } catch {
    // The database is whole in either mode.
  } finally {
    connection?.close()
  }
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
    if (left !== 'delete' || modeOf(connection) !== 'delete')
      throw new EdgeFault(`${path} is in use by another process: close what uses it and pull again`)
  } catch (error) {
    throw sqliteFault(error, path)
  }
  if (version() !== seen)
    throw new EdgeFault(`${path} changed after it was backed up: close what writes to it and pull again`)
}
