import type { Effect } from '#domain/leadership/protocol-effects.ts'
import type { Snapshot } from '#domain/leadership/push.rules.ts'
import type { PushSettings } from '#domain/leadership/push-authority.ts'
import type { PendingPush, PushOutcome } from '#domain/leadership/push-outcome.ts'
import { push } from '#domain/leadership/push-protocol.ts'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import { type AuditEntry, writeAuditObject } from '#server/leadership/audit-object.ts'
import { runProtocol } from '#server/leadership/run-protocol.ts'
import { reasonOf } from '../fault.ts'
import { dropPendingPush, keepPendingPush } from '../ledger/pending-push.ts'
import { writeSyncState } from '../ledger/sync-state.ts'
import { identityOf, knownTerms, lockSettingsOf, partsOf } from '../sync/leadership-parts.ts'
import type { SyncContext } from '../sync/node-context.ts'
import { withOneSync } from '../sync/one-sync.ts'
import { activeOverrides, recordOverrides } from '../sync/overrides.ts'
import { readPointer } from '../sync/read-objects.ts'
import { reportCounts } from '../sync/report-counts.ts'
import { refuseUnfitStore } from '../sync/store-fitness.ts'
import { syncFault } from '../sync/sync-fault.ts'
import { PushJob } from './push-job.ts'
import { resolvePendingPush } from './resolve-pending.ts'
import { isStored } from './store-snapshot.ts'

/** A push that ended; `job` has what it pushed and why it failed. */
export type PushRun = { outcome: PushOutcome; job: PushJob }

/** One push from its preparation to its end, in the order of [edge#push]; `null` when it was asked to stop. Throws `EdgeFault`. */
export async function runPush(node: SyncContext): Promise<PushRun | null> {
  try {
    return await withOneSync(node.host, node.database, () => pushAlone(node))
  } catch (error) {
    throw syncFault(error, 'push')
  }
}

async function pushAlone(node: SyncContext): Promise<PushRun | null> {
  const admitStore = admissionOf(node)
  await resolvePendingPush(node)
  if (activeOverrides(node.settings, 'push').length > 0) await admitStore()
  await recordOverrides(node, 'push')
  if (node.stopped.aborted) return null
  const job = new PushJob(node)
  try {
    return await perform(node, { job, admitStore })
  } finally {
    await job.close()
  }
}

/** Refuses an unfit store before the first write, and asks it once. A push that finds nothing to do writes nothing, and so asks nothing. */
function admissionOf({ store }: SyncContext): () => Promise<void> {
  let asked: Promise<void> | null = null
  return () => {
    asked ??= refuseUnfitStore(store)
    return asked
  }
}

type Push = { job: PushJob; admitStore: () => Promise<void> }

async function perform(node: SyncContext, { job, admitStore }: Push): Promise<PushRun | null> {
  const settings = await settingsOf(node)
  const parts = {
    ...partsOf(node),
    work: job,
    beforeWrite: admitStore,
    onEffect: (effect: Effect) => sayLock(node, effect),
    // The overrides of this command are recorded already, used or not.
    audit: async (entry: AuditEntry) => {
      if (entry.event !== 'override_used') await writeAuditObject(node.store, entry)
    },
  }
  const outcome = await runProtocol(push(settings), parts)
  if (outcome === null) return null
  if (couldNotRead(outcome)) await admitStore()
  if (outcome.outcome === 'up_to_date') await restoreObject(node, { job, admitStore }, outcome.sha256)
  // Space first: what is remembered may need what the snapshot takes.
  await job.close()
  await remember(node, job, outcome)
  await reportCounts(node, job.pushed)
  return { outcome, job }
}

/** Why it could not be read, the store's own refusal says better. */
const couldNotRead = (end: PushOutcome): boolean =>
  end.outcome === 'failed' && (end.message === 'role_unknown' || end.message === 'pointer_unreadable')

async function settingsOf(node: SyncContext): Promise<PushSettings> {
  const { settings, host, project } = node
  return {
    node: identityOf(node),
    hostname: host.name,
    project,
    lock: lockSettingsOf(settings),
    known: await knownTerms(node),
    leadership: settings.LEADERSHIP_ENABLED,
    allowSecondary: settings.ALLOW_SECONDARY_PUSH,
    force: settings.FORCE_PUSH,
  }
}

/** The lines by which scripts know that a lock is passed over. */
function sayLock({ say }: SyncContext, effect: Effect): void {
  if (effect.effect !== 'write' || effect.object !== 'lock') return
  if (effect.event === 'steal') say('STALE LOCK — stealing')
  if (effect.event === 'override') say('overriding lock (FORCE_PUSH=1)')
}

/** An object that the pointer names and somebody has removed: brought again where it is this snapshot, else told. */
async function restoreObject(node: SyncContext, { job, admitStore }: Push, sha256: string): Promise<void> {
  const { store, canonicalId, say } = node
  const pointer = await readPointer(node)
  // A node of today brings no object of this kind.
  if (pointer.state !== 'present' || pointer.pointer.push_id === null) return
  const key = projectKeys(canonicalId).snapshot(sha256)
  try {
    if (await isStored(store, key)) return
    await admitStore()
    if (await job.restore(sha256)) return
  } catch (error) {
    return say(`WARNING: whether ${key} is in the store is unknown: ${reasonOf(error)}`)
  }
  say(
    `WARNING: ${key} is gone from the store; nodes read the copy under sqlite/ until the next push of other content`,
  )
}

/**
 * What the next push and pull have to know of this one. It is a memory and no authority, so that it could not be written is a warning: the
 * outcome stands.
 */
async function remember(node: SyncContext, job: PushJob, outcome: PushOutcome): Promise<void> {
  if (job.pushed === null) return
  try {
    if (outcome.outcome === 'unknown') await rememberPending(node, job.pushed, outcome.pending)
    else await rememberSynced(node, job, outcome)
  } catch (error) {
    node.say(`WARNING: what was pushed could not be remembered: ${reasonOf(error)}`)
  }
}

async function rememberPending(
  { host, canonicalId }: SyncContext,
  { sha256, contentSha256 }: Snapshot,
  { pushId, basePushId, baseEtag }: PendingPush,
): Promise<void> {
  const base = { push_id: pushId, base_push_id: basePushId, base_etag: baseEtag }
  const content = { sha256, content_sha256: contentSha256, at: Date.now() / 1000 }
  await keepPendingPush(host, canonicalId, { ...base, ...content })
}

async function rememberSynced(
  node: SyncContext,
  { pushed, source }: PushJob,
  outcome: PushOutcome,
): Promise<void> {
  const { host, canonicalId, settings, nodeId } = node
  if (pushed === null || !('term' in outcome) || outcome.outcome === 'refused') return
  const last_synced_sha = outcome.outcome === 'up_to_date' ? outcome.sha256 : pushed.sha256
  const isPrimary = settings.LEADERSHIP_ENABLED && !settings.ALLOW_SECONDARY_PUSH
  const holder = isPrimary ? nodeId : null
  const content = { content_sha256: pushed.contentSha256, at: Date.now() / 1000 }
  await writeSyncState(host, canonicalId, { last_synced_sha, ...content, term: outcome.term, holder, source })
  if (outcome.outcome === 'pushed') await dropPendingPush(host, canonicalId)
}
