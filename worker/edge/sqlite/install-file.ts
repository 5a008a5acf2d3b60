import { chmod, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { syncFolder } from '#server/adapters/file-system/durable-file.ts'
import { EdgeFault } from '../fault.ts'
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
  const path = await realpath(given).catch(() => given)
  const info = await stat(path).catch(() => null)
  if (!info) return { path, connection: null, version: () => 0 }
  if (!info.isFile()) throw new EdgeFault(`${path} is not a file: check CLAUDE_MEM_DB`)
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

const versionOf = (connection: DatabaseSync) => () =>
  Number(connection.prepare('PRAGMA data_version').get()?.data_version)

/** Renames `incoming` (in the same folder) over the target database. `seen` is its version when it was backed up. */
export async function installFile(
  target: ReplaceTarget,
  incoming: string,
  { seen, onStep }: { seen: number; onStep: OnStep<InstallStep> },
): Promise<void> {
  const { path, connection } = target
  onStep('leave-wal')
  if (connection) lockAlone(target, connection, seen)
  onStep('remove-companions')
  for (const suffix of COMPANIONS) await rm(`${path}${suffix}`, { force: true })
  onStep('flush')
  const mode = (await stat(path).catch(() => null))?.mode ?? 0o600
  await chmod(incoming, mode & 0o777)
  await syncFile(incoming)
  onStep('rename')
  await rename(incoming, path)
  onStep('flush-folder')
  await syncFolder(dirname(path))
}

/** Brings everything into the main file and keeps all other processes out. */
function lockAlone({ path, version }: ReplaceTarget, connection: DatabaseSync, seen: number): void {
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
