/**
 * A push or pull of one node, asked for by name ([membridge#syncs]): recorded, then the node is called, then its answer is recorded. The gateway asks and does not
 * wait: the control plane takes its syncs up.
 */
import type { SyncAnswer, SyncView } from '#contracts/membridge.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { SyncAction } from '#domain/membridge/sync.machine.ts'
import type { Services } from '#server/services.ts'
import { type CallParts, carryOutSync } from './carry-out-sync.ts'
import { requestSync } from './record-sync.ts'
import { findSyncTarget } from './sync-target.ts'

export type SyncAsked = {
  action: SyncAction
  project: string
  agent: string
  reason?: string | undefined
  requestId: string | null
}

/** Runs the sync and waits for its end: 404, 409 before anything is recorded, 502 when the node gave no report. */
export async function runSync(
  services: CallParts,
  asked: SyncAsked,
  caller: Caller,
): Promise<Result<SyncAnswer>> {
  const found = await findSyncTarget(services, asked)
  if (!found.ok) return found
  const target = found.value
  const { canonicalId } = target
  const sync = await requestSync(services, { ...asked, canonicalId, takenUp: true }, caller)
  const { ended, called } = await carryOutSync(services, target, sync)
  if (!ended.ok) return ended
  const { id: job_id, project, agent, canonical_id, detail, status } = ended.value
  if ('fault' in called)
    return refuse({ code: 'UPSTREAM_UNAVAILABLE', message: detail ?? called.fault, details: { job_id } })
  return ok({ ok: status === 'completed', project, agent, canonical_id, detail: detail ?? '', job_id })
}

/** Asks for the sync and answers at once with it, pending: the same refusals, and the control plane carries it out. */
export async function askForSync(
  services: Pick<Services, 'db'> & { env: { ALLOW_INSECURE_LAN: boolean } },
  asked: SyncAsked & { reason: string },
  caller: Caller,
): Promise<Result<SyncView>> {
  const found = await findSyncTarget(services, asked)
  if (!found.ok) return found
  return ok(await requestSync(services, { ...asked, canonicalId: found.value.canonicalId }, caller))
}
