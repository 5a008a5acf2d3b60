import { setTimeout as pause } from 'node:timers/promises'
import type { SyncView } from '#contracts/membridge.contract.ts'
import { CONTROL_PLANE_ADMIN } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import { createRedactor } from '#domain/secret/redact.rules.ts'
import { callKeyOf } from '#server/keys/call-key.ts'
import type { Services } from '#server/services.ts'
import { callNode, type NodeAnswer } from './call-node.ts'
import { getSync } from './list-syncs.query.ts'
import { finishSync, type SyncEnd } from './record-sync.ts'
import type { SyncTarget } from './sync-target.ts'

/** What calling a node takes. The waits are the usual ones unless they are given. */
export type CallParts = Pick<Services, 'db'> & {
  env: { ALLOW_INSECURE_LAN: boolean; MEMBRIDGE_AGENT_KEY: string }
  nodeWaitMs?: number
  againAfterMs?: readonly number[]
}
export type CarriedOut = { ended: Result<SyncView>; called: NodeAnswer }

/** Calls the node for a sync that is recorded, and ends the sync by what comes back. The key it calls under is masked wherever the node repeats it. */
export async function carryOutSync(
  parts: CallParts,
  target: SyncTarget,
  { id, action, request_id }: Pick<SyncView, 'id' | 'action' | 'request_id'>,
): Promise<CarriedOut> {
  const key = callKeyOf({ name: target.agent, joined: target.joined }, parts.env.MEMBRIDGE_AGENT_KEY)
  const { url, project } = target
  const call = { action, url, key, project, requestId: request_id, waitMs: parts.nodeWaitMs }
  // Masked here: a redactor that knew the keys of all nodes would search every text for each of them.
  const called = createRedactor([key]).value(await callNode(call)) as NodeAnswer
  const end = { sync_id: id, action, ...endBy(called, action) }
  return { called, ended: await finishSurely(parts, end) }
}

const AGAIN_AFTER_MS = [1_000, 5_000, 15_000, 30_000]

/** Ends a sync, also when the ledger fails for a while: what the node said is nowhere else. A refusal is final. */
export async function finishSurely(
  { db, againAfterMs = AGAIN_AFTER_MS }: Pick<CallParts, 'db' | 'againAfterMs'>,
  end: SyncEnd,
): Promise<Result<SyncView>> {
  const finish = () => finishSync({ db }, end, CONTROL_PLANE_ADMIN)
  let again = false
  for (const waitMs of againAfterMs) {
    const ended = await finish().catch(() => null)
    if (ended) return again ? ownEnd(db, end, ended) : ended
    again = true
    await pause(waitMs, undefined, { ref: false })
  }
  return ownEnd(db, end, await finish())
}

/** A try that seemed to fail may have ended the sync. */
async function ownEnd(db: Services['db'], { sync_id, outcome }: SyncEnd, ended: Result<SyncView>) {
  if (ended.ok) return ended
  const found = await getSync({ db }, { id: sync_id })
  return found.ok && found.value.status === outcome ? found : ended
}

function endBy(called: NodeAnswer, action: SyncView['action']): Omit<SyncEnd, 'sync_id' | 'action'> {
  if ('fault' in called) return { outcome: 'error', detail: called.fault }
  const { ok, detail, ...output } = called.report
  const said =
    detail?.trim() || (ok ? `The ${action} is done.` : `The node reports that the ${action} failed.`)
  return { outcome: ok ? 'completed' : 'failed', detail: said, ...output }
}
