import type { SyncView } from '#contracts/membridge.contract.ts'
import { CONTROL_PLANE_ADMIN } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import { protectSecrets } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { callNode, type NodeAnswer } from './call-node.ts'
import { finishSync, type SyncEnd } from './record-sync.ts'
import { callKeyOf, type SyncTarget } from './sync-target.ts'

/** What calling a node takes. The wait is the contract's unless it is given. */
export type CallParts = Pick<Services, 'db'> & {
  env: { ALLOW_INSECURE_LAN: boolean; MEMBRIDGE_AGENT_KEY: string }
  nodeWaitMs?: number
}
export type CarriedOut = { ended: Result<SyncView>; called: NodeAnswer }

/** Calls the node for a sync that is recorded, and ends the sync by what comes back. The key it calls under is masked wherever the node repeats it. */
export async function carryOutSync(
  { db, env, nodeWaitMs }: CallParts,
  target: SyncTarget,
  { id, action, request_id }: Pick<SyncView, 'id' | 'action' | 'request_id'>,
): Promise<CarriedOut> {
  const key = callKeyOf(target, env.MEMBRIDGE_AGENT_KEY)
  protectSecrets([key])
  const { url, project } = target
  const called = await callNode({ action, url, key, project, requestId: request_id, waitMs: nodeWaitMs })
  const end = { sync_id: id, action, ...endBy(called, action) }
  return { called, ended: await finishSync({ db }, end, CONTROL_PLANE_ADMIN) }
}

function endBy(called: NodeAnswer, action: SyncView['action']): Omit<SyncEnd, 'sync_id' | 'action'> {
  if ('fault' in called) return { outcome: 'error', detail: called.fault }
  const { ok, detail, ...output } = called.report
  const said =
    detail?.trim() || (ok ? `The ${action} is done.` : `The node reports that the ${action} failed.`)
  return { outcome: ok ? 'completed' : 'failed', detail: said, ...output }
}
