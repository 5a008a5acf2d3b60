import { dirname, join } from 'node:path'
import { startWorker } from '../claude-mem/start-worker.ts'
import { type StopOutcome, stopWorker } from '../claude-mem/stop-worker.ts'
import { EdgeFault } from '../fault.ts'
import { type ReplaceStep, replaceDatabase } from '../sqlite/replace-database.ts'
import type { SafetyBackup } from '../sqlite/safety-backup.ts'
import type { SyncContext } from '../sync/node-context.ts'
import type { FetchedCopy } from './fetch-copy.ts'

/**
 * Steps 4 to 8 of a pull: the worker stopped, the database replaced, the worker started again [edge#pull].
 *
 * Only a worker that was stopped here is started, and also when the replacement failed: the database is then as it was. By the
 * time it is started the pull is done, so a worker that does not become ready is told as such.
 */
export type InstallStep = 'stop-worker' | ReplaceStep | 'remember' | 'start-worker'

export type InstallOptions = {
  /** Whether rows that exist only here may go; they are in a pinned backup then. */
  acceptsLoss: boolean
  restartsWorker: boolean
  now: () => Date
  onStep: (step: InstallStep) => void
  /** Called once the copy is in place. */
  installed: () => Promise<void>
}

/** Folder of all safety backups of this account. */
export const backupRoot = ({ host }: Pick<SyncContext, 'host'>): string =>
  join(host.home, '.claude-mem/backups/pull-overwrite')

/** Puts the fetched copy in the database's place; null where there was none. Throws `EdgeFault`. */
export async function installCopy(
  context: SyncContext,
  copy: FetchedCopy,
  options: InstallOptions,
): Promise<SafetyBackup | null> {
  const { host, settings } = context
  options.onStep('stop-worker')
  const stopped = await stopWorker(host, settings)
  const start = () => startAgain(context, stopped, options)
  let backup: SafetyBackup | null
  try {
    backup = await replace(context, copy, options)
    options.onStep('remember')
    await options.installed()
  } catch (error) {
    const why = await start()
    if (why !== null) context.say(`WARNING: the claude-mem worker was stopped and not started again: ${why}`)
    throw error
  }
  const why = await start()
  if (why === null) return backup
  throw new EdgeFault(`data is in place, but the claude-mem worker was stopped and not started again: ${why}`)
}

function replace(
  context: SyncContext,
  copy: FetchedCopy,
  { acceptsLoss, now, onStep }: InstallOptions,
): Promise<SafetyBackup | null> {
  const { host, database } = context
  return replaceDatabase({
    database,
    remote: copy,
    backup: {
      root: backupRoot(context),
      at: now(),
      hostname: host.name,
      reason: 'pull',
      chroma: join(dirname(database), 'vector-db/chroma.sqlite3'),
    },
    acceptedLoss: acceptsLoss ? Number.MAX_SAFE_INTEGER : 0,
    onStep,
    warn: (line) => context.say(`WARNING: ${line}`),
  })
}

/** Why the worker that was stopped is not at work again, or null. */
async function startAgain(
  { host, settings }: SyncContext,
  stopped: StopOutcome,
  { restartsWorker, onStep }: InstallOptions,
): Promise<string | null> {
  if (!restartsWorker || stopped === 'not-running' || stopped === 'unidentified') return null
  onStep('start-worker')
  const outcome = await startWorker(host, settings)
  return outcome.started ? null : outcome.why
}
