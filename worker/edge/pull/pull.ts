import { type Clock, MACHINE_CLOCK } from '#server/leadership/run-protocol.ts'
import { EdgeFault, reasonOf } from '../fault.ts'
import { backupNames, removeOldBackups } from '../sqlite/backup-retention.ts'
import { countLocalAhead } from '../sqlite/local-ahead.ts'
import { localAhead } from '../sqlite/replace-database.ts'
import type { SafetyBackup } from '../sqlite/safety-backup.ts'
import { removeDatabase, sweepTemporaries } from '../sqlite/temporary-file.ts'
import type { SyncContext } from '../sync/node-context.ts'
import { withOneSync } from '../sync/one-sync.ts'
import { recordOverrides } from '../sync/overrides.ts'
import { syncFault } from '../sync/sync-fault.ts'
import { type FetchedCopy, fetchCopy, refuseWhenStopped } from './fetch-copy.ts'
import { backupRoot, type InstallStep, installCopy } from './install-copy.ts'
import { digestContent, type LocalContent, readLocalContent, readyFolder } from './local-content.ts'
import { admitPull } from './pull-gate.ts'
import { isUnchanged, rememberedContent, rememberPull } from './remember-pull.ts'
import { type RemoteCopy, readRemoteCopy } from './remote-copy.ts'

/**
 * A pull: the remote copy takes the place of this node's database [edge#pull].
 *
 * Until the worker is stopped nothing but a temporary file has been written, and a request to stop is obeyed; from there on
 * the pull goes through to its end, which is a matter of seconds. Killed anywhere, it leaves the old or the new database, whole.
 */
export type PullStep =
  | 'sweep'
  | 'pointer'
  | 'digest'
  | 'gate'
  | 'fetch'
  | 'compare'
  | InstallStep
  | 'retention'

export type PullOptions = {
  acceptsLoss: boolean
  restartsWorker: boolean
  clock?: Clock
  now?: () => Date
  /** Called before each step. */
  onStep?: (step: PullStep) => void
}

export type PullOutcome =
  | { result: 'up_to_date'; remote: RemoteCopy }
  | { result: 'pulled'; remote: RemoteCopy; copy: FetchedCopy; backup: SafetyBackup | null }

type Pull = { context: SyncContext; options: Required<PullOptions> }

/** Pulls, one sync at a time for the database. Throws `EdgeFault`. */
export async function pull(context: SyncContext, given: PullOptions): Promise<PullOutcome> {
  const options = { clock: MACHINE_CLOCK, now: () => new Date(), onStep: () => {}, ...given }
  try {
    return await withOneSync(context.host, context.database, async () => {
      const removable = await backupNames(backupRoot(context))
      try {
        return await pullAlone({ context, options })
      } finally {
        options.onStep('retention')
        await tidyBackups(context, removable, options.now())
      }
    })
  } catch (error) {
    throw syncFault(error, 'pull')
  }
}

async function pullAlone(pull: Pull): Promise<PullOutcome> {
  const { context, options } = pull
  const { settings, database, store, canonicalId, stopped, say } = context
  const maxBytes = settings.MEMBRIDGE_MAX_DB_BYTES
  options.onStep('sweep')
  const folder = await readyFolder(database)
  await sweepTemporaries(folder)
  options.onStep('pointer')
  const remote = await readRemoteCopy(store, canonicalId)
  if (remote === null)
    throw new EdgeFault(`no remote copy yet of ${context.project}: push from the node that has the data`)
  options.onStep('digest')
  const content = await rememberedContent(context, remote)
  if (await isUnchanged(context, content)) return { result: 'up_to_date', remote }
  const local = await readLocalContent(database, maxBytes)
  if (local && local.contentSha256 === content) return upToDate(pull, remote, local)
  options.onStep('gate')
  await admitPull(context, remote, { local, clock: options.clock })
  await recordOverrides(context, 'pull')
  options.onStep('fetch')
  refuseWhenStopped(stopped)
  const parts = { store, canonicalId, folder, maxBytes, say, stopped, clock: options.clock }
  const copy = await fetchCopy(remote, parts)
  try {
    return await takeOver(pull, copy, local)
  } finally {
    await removeDatabase(copy.path)
  }
}

/** What follows once the copy lies beside the database. */
async function takeOver(pull: Pull, copy: FetchedCopy, local: LocalContent | null): Promise<PullOutcome> {
  const { context, options } = pull
  const { remote } = copy
  const contentSha256 =
    remote.contentSha256 ?? (await digestContent(copy.path, Number.MAX_SAFE_INTEGER)).contentSha256
  if (local?.contentSha256 === contentSha256) return upToDate(pull, remote, local)
  options.onStep('compare')
  const ahead = local ? countLocalAhead(local.path, copy.path) : 0
  if (ahead > 0 && !options.acceptsLoss) throw localAhead(ahead)
  if (ahead > 0) context.say(`LOCAL AHEAD: the loss of ${ahead} rows is accepted; a backup keeps them`)
  refuseWhenStopped(context.stopped)
  const installed = () => rememberPull(context, remote, { contentSha256, at: options.now(), mark: null })
  const backup = await installCopy(context, copy, { ...options, installed })
  return { result: 'pulled', remote, copy, backup }
}

async function upToDate(
  { context, options }: Pull,
  remote: RemoteCopy,
  { contentSha256, mark }: LocalContent,
): Promise<PullOutcome> {
  await rememberPull(context, remote, { contentSha256, at: options.now(), mark })
  return { result: 'up_to_date', remote }
}

/**
 * Whatever became of the pull; what cannot be removed is told and changes nothing else. A backup that this pull made stays, whatever the
 * limits: the pull has just named it.
 */
async function tidyBackups(context: SyncContext, removable: string[], now: Date): Promise<void> {
  const { PULL_BACKUP_MAX_DAYS: maxDays, PULL_BACKUP_MAX_COUNT: maxCount } = context.settings
  try {
    await removeOldBackups(backupRoot(context), { maxDays, maxCount, removable }, now)
  } catch (error) {
    context.say(`WARNING: old backups could not be removed: ${reasonOf(error)}`)
  }
}
