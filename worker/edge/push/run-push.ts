import type { Effect } from '#domain/leadership/protocol-effects.ts'
import type { PushSettings } from '#domain/leadership/push-authority.ts'
import type { PushOutcome } from '#domain/leadership/push-outcome.ts'
import { push } from '#domain/leadership/push-protocol.ts'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import { type AuditEntry, writeAuditObject } from '#server/leadership/audit-object.ts'
import { runProtocol } from '#server/leadership/run-protocol.ts'
import { dropPendingPush, keepPendingPush } from '../ledger/pending-push.ts'
import { writeSyncState } from '../ledger/sync-state.ts'
import { identityOf, knownTerms, lockSettingsOf, partsOf } from '../sync/leadership-parts.ts'
import type { SyncContext } from '../sync/node-context.ts'
import { withOneSync } from '../sync/one-sync.ts'
import { recordOverrides } from '../sync/overrides.ts'
import { readPointer } from '../sync/read-objects.ts'
import { reportCounts } from '../sync/report-counts.ts'
import { refuseUnfitStore } from '../sync/store-fitness.ts'
import { PushJob } from './push-job.ts'
import { resolvePendingPush } from './resolve-pending.ts'
import { isStored } from './store-snapshot.ts'

/** A push that ended; `job` has what it pushed and why it failed. */
export type PushRun = { outcome: PushOutcome; job: PushJob }

/** One push from its preparation to its end, in the order of [edge#push]; `null` when it was asked to stop. Throws `EdgeFault`. */
export function runPush(node: SyncContext): Promise<PushRun | null> {
  return withOneSync(node.host, node.database, async () => {
    await refuseUnfitStore(node.store)
    await resolvePendingPush(node)
    await recordOverrides(node, 'push')
    if (node.stopped.aborted) return null
    const job = new PushJob(node)
    try {
      return await perform(node, job)
    } finally {
      await job.close()
    }
  })
}

async function perform(node: SyncContext, job: PushJob): Promise<PushRun | null> {
  const settings = await settingsOf(node)
  const parts = {
    ...partsOf(node),
    work: job,
    onEffect: (effect: Effect) => tellLock(node, effect),
    // The overrides of this command are recorded already, used or not.
    audit: async (entry: AuditEntry) => {
      if (entry.event !== 'override_used') await writeAuditObject(node.store, entry)
    },
  }
  const outcome = await runProtocol(push(settings), parts)
  if (outcome === null) return null
  if (outcome.outcome === 'up_to_date') await restoreObject(node, job, outcome.sha256)
  await remember(node, job, outcome)
  await reportCounts(node, job.pushed)
  return { outcome, job }
}

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
function tellLock({ say }: SyncContext, effect: Effect): void {
  if (effect.effect !== 'write' || effect.object !== 'lock') return
  if (effect.event === 'steal') say('STALE LOCK — stealing')
  if (effect.event === 'override') say('overriding lock (FORCE_PUSH=1)')
}

/** An object that the pointer names and somebody has removed: brought again where it is this snapshot, else told. */
async function restoreObject(node: SyncContext, job: PushJob, sha256: string): Promise<void> {
  const { store, canonicalId, say } = node
  const pointer = await readPointer(node)
  // A node of today brings no object of this kind.
  if (pointer.state !== 'present' || pointer.pointer.push_id === null) return
  const key = projectKeys(canonicalId).snapshot(sha256)
  if ((await isStored(store, key)) || (await job.restore(sha256))) return
  say(
    `WARNING: ${key} is gone from the store; nodes read the copy under sqlite/ until the next push of other content`,
  )
}

/** What the next push and pull have to know of this one. */
async function remember(node: SyncContext, { pushed, source }: PushJob, outcome: PushOutcome): Promise<void> {
  const { host, canonicalId, settings, nodeId } = node
  if (pushed === null) return
  const at = Date.now() / 1000
  const content = { content_sha256: pushed.contentSha256, at }
  if (outcome.outcome === 'unknown') {
    const { pushId, basePushId, baseEtag } = outcome.pending
    const base = { push_id: pushId, base_push_id: basePushId, base_etag: baseEtag }
    await keepPendingPush(host, canonicalId, { ...base, ...content, sha256: pushed.sha256 })
    return
  }
  if (outcome.outcome === 'failed' || outcome.outcome === 'refused' || outcome.outcome === 'blocked') return
  const last_synced_sha = outcome.outcome === 'up_to_date' ? outcome.sha256 : pushed.sha256
  const isPrimary = settings.LEADERSHIP_ENABLED && !settings.ALLOW_SECONDARY_PUSH
  const holder = isPrimary ? nodeId : null
  await writeSyncState(host, canonicalId, { last_synced_sha, ...content, term: outcome.term, holder, source })
  if (outcome.outcome === 'pushed') await dropPendingPush(host, canonicalId)
}
