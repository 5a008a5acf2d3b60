import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { EdgeFault, reasonOf } from '../fault.ts'
import { removeBackup } from './backup-retention.ts'
import {
  enterWal,
  type InstallStep,
  installFile,
  type OnStep,
  openTarget,
  type ReplaceTarget,
} from './install-file.ts'
import { sqliteFault } from './open-database.ts'
import { putBack } from './put-back.ts'
import { type BackupRequest, type SafetyBackup, takeSafetyBackup } from './safety-backup.ts'
import { type ExpectedContent, verifyDatabase } from './verify-database.ts'

/**
 * Steps 5 to 7 of a pull: back up, replace, verify; and the backup put back when the result is not what was fetched [edge#replace].
 *
 * The worker has been stopped and `remote` lies in the database's own folder (`folderOf`), examined. Killed before the rename: the
 * old database, whole. After it: the new one. A temporary file may be left, which the next command sweeps. When verifying
 * fails the backup is put back and the fault says so. What fails before the rename leaves no backup, since all of it still
 * stands; one whose loss was accepted is kept all the same. What fails after it says that the new database is in place. In the end the database
 * is in WAL mode, as claude-mem has it.
 */
export type ReplaceStep = 'backup' | InstallStep | 'verify' | 'put-back'

export type ReplaceRequest = {
  database: string
  remote: BackupRequest['remote'] & ExpectedContent
  backup: Omit<BackupRequest, 'remote'>
  /** The most observations that may be lost; more are a fault before anything changes. */
  acceptedLoss: number
  onStep?: OnStep<ReplaceStep>
  /** Told of what a person should put right, though the database is in place. */
  warn?: (line: string) => void
  /** How long another process's lock is waited for, in milliseconds (5 000). */
  busyMs?: number
}

/** Replaces the database by the remote copy; null where there was nothing to back up. Throws `EdgeFault`. */
export async function replaceDatabase(request: ReplaceRequest): Promise<SafetyBackup | null> {
  const onStep = request.onStep ?? (() => {})
  const target = await openTarget(request.database, request.busyMs)
  let backup: SafetyBackup | null
  try {
    await refuseOtherFolder(request.remote.path, target.path)
    onStep('backup')
    backup = await backUpAndInstall(target, request, onStep)
  } catch (error) {
    throw sqliteFault(error, target.path)
  } finally {
    target.connection?.close()
  }
  onStep('verify')
  try {
    await verifyDatabase(target.path, request.remote)
  } catch (error) {
    onStep('put-back')
    throw await putBack(target.path, backup ?? request.backup, error)
  }
  enterWal(target.path)
  return backup
}

/** Only within one folder is a rename sure to be possible, and to be one step. */
async function refuseOtherFolder(incoming: string, path: string): Promise<void> {
  const [from, to] = await Promise.all([realpath(dirname(incoming)), realpath(dirname(path))])
  if (from !== to)
    throw new EdgeFault(`the remote copy was fetched into ${from} instead of ${to}: pull again`)
}

async function backUpAndInstall(
  target: ReplaceTarget,
  request: ReplaceRequest,
  onStep: OnStep<ReplaceStep>,
): Promise<SafetyBackup | null> {
  const { acceptedLoss, remote } = request
  const seen = target.version()
  const backup = await backUp(target, request)
  const ahead = backup?.manifest.local_ahead ?? 0
  let replaced = false
  try {
    if (ahead > acceptedLoss) throw localAhead(ahead)
    await installFile(target, remote.path, {
      seen,
      onStep: (step) => {
        replaced ||= step === 'flush-folder'
        onStep(step)
      },
      warn: request.warn ?? (() => {}),
    })
    return backup
  } catch (error) {
    if (replaced) throw inPlace(backup, error)
    const accepted = ahead > 0 && ahead <= acceptedLoss
    if (backup && !accepted) await removeBackup(backup.folder)
    throw error
  }
}

/** What failed after the rename. */
const inPlace = (backup: SafetyBackup | null, cause: unknown): EdgeFault =>
  new EdgeFault(
    `the new database is in place, but ${reasonOf(cause)}; ${backup ? `the backup is in ${backup.folder}` : 'nothing was there before'}: pull again, which verifies it`,
    { cause },
  )

/** Why a pull stopped that would lose so many observations. */
export const localAhead = (rows: number): EdgeFault =>
  new EdgeFault(
    `LOCAL AHEAD: ${rows === 1 ? '1 row exists' : `${rows} rows exist`} only here; nothing was changed. Push from this node, or pull with --accept-local-loss`,
    { label: '' },
  )

async function backUp(
  { path, connection }: ReplaceTarget,
  { backup, remote }: ReplaceRequest,
): Promise<SafetyBackup | null> {
  return connection ? takeSafetyBackup({ connection, path }, { ...backup, remote }) : null
}
