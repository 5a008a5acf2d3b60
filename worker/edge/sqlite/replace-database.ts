import { copyFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { EdgeFault, reasonOf } from '../fault.ts'
import { type InstallStep, installFile, type OnStep, openTarget, type ReplaceTarget } from './install-file.ts'
import { isDamaged, sqliteFault } from './open-database.ts'
import { type BackupRequest, type SafetyBackup, takeSafetyBackup } from './safety-backup.ts'
import { makeTemporary, removeDatabase } from './temporary-file.ts'
import { type ExpectedContent, verifyDatabase } from './verify-database.ts'

/**
 * Steps 5 to 7 of a pull: back up, replace, verify; and the backup put back when the result is not what was fetched [edge#replace].
 *
 * The worker has been stopped and `remote` lies in the database's own folder, examined. Killed before the rename: the old
 * database, whole. After it: the new one. A temporary file may be left, which the next command sweeps. When verifying
 * fails the backup is put back and the fault says so.
 */
export type ReplaceStep = 'backup' | InstallStep | 'verify' | 'put-back'

export type ReplaceRequest = {
  database: string
  remote: BackupRequest['remote'] & ExpectedContent
  backup: Omit<BackupRequest, 'remote'>
  /** The most observations that may be lost; more are a fault before anything changes. */
  acceptedLoss: number
  onStep?: OnStep<ReplaceStep>
  /** How long another process's lock is waited for, in milliseconds (5 000). */
  busyMs?: number
}

/** Replaces the database by the remote copy; null where there was nothing to back up. Throws `EdgeFault`. */
export async function replaceDatabase(request: ReplaceRequest): Promise<SafetyBackup | null> {
  const onStep = request.onStep ?? (() => {})
  const target = await openTarget(request.database, request.busyMs)
  let backup: SafetyBackup | null
  try {
    const seen = target.version()
    onStep('backup')
    backup = await backUp(target, request)
    await installFile(target, request.remote.path, { seen, onStep })
  } catch (error) {
    throw sqliteFault(error, target.path)
  } finally {
    target.connection?.close()
  }
  onStep('verify')
  try {
    await verifyDatabase(target.path, request.remote)
    return backup
  } catch (error) {
    onStep('put-back')
    throw await putBack(target.path, backup, error)
  }
}

async function backUp(
  { path, connection }: ReplaceTarget,
  request: ReplaceRequest,
): Promise<SafetyBackup | null> {
  if (!connection) return null
  const { acceptedLoss, remote } = request
  const backup = await takeSafetyBackup({ connection, path }, { ...request.backup, remote })
  const ahead = backup.manifest.local_ahead
  if (ahead > acceptedLoss)
    throw new EdgeFault(
      `LOCAL AHEAD: ${ahead} rows exist only here; they are kept in ${backup.folder}. Push from this node, or pull with --accept-local-loss`,
    )
  return backup
}

/** The fault to report, after the backup has taken the place of what was not as expected. */
async function putBack(path: string, backup: SafetyBackup | null, cause: unknown): Promise<EdgeFault> {
  const why = reasonOf(cause)
  if (!backup) {
    await removeDatabase(path)
    return new EdgeFault(`the pulled database was removed again (${why}): pull again`, { cause })
  }
  try {
    await restoreBackup(path, backup.file)
    return new EdgeFault(`the database was put back as it was (${why}): pull again`, { cause })
  } catch (error) {
    const place = `the backup is in ${backup.folder}`
    return new EdgeFault(
      `the pulled database is not as expected (${why}) and could not be put back (${reasonOf(error)}): ${place}`,
      {
        cause: error,
      },
    )
  }
}

/** Puts a copy of a backup in the place of the database, damaged or not; the backup stays. Throws `EdgeFault`. */
export async function restoreBackup(path: string, backup: string): Promise<void> {
  const incoming = await makeTemporary(dirname(path), 'restore')
  try {
    await copyFile(backup, incoming)
    await install(path, incoming)
  } catch (error) {
    await removeDatabase(incoming)
    throw error
  }
}

async function install(path: string, incoming: string): Promise<void> {
  const quiet = { seen: 0, onStep: () => {} }
  try {
    const target = await openTarget(path)
    try {
      await installFile(target, incoming, { ...quiet, seen: target.version() })
    } finally {
      target.connection?.close()
    }
  } catch (error) {
    if (!isDamaged(error)) throw error
    await installFile({ path, connection: null, version: () => 0 }, incoming, quiet)
  }
}
