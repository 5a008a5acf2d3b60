import { pushVerdict } from '#domain/leadership/fence.rules.ts'
import type { PointerLook } from '#domain/leadership/pointer-object.ts'
import { dropPendingPush, type PendingPushState, readPendingPush } from '../ledger/pending-push.ts'
import { writeSyncState } from '../ledger/sync-state.ts'
import type { NodeContext } from '../sync/node-context.ts'
import { readPointer } from '../sync/read-objects.ts'

/**
 * Finds out what came of a push that was left open, and says so [edge#push]. One that may still take effect stays open: of it and the push
 * that follows, one at most is written upon the same pointer.
 */
export async function resolvePendingPush(node: NodeContext): Promise<void> {
  const { host, canonicalId, say } = node
  const read = await readPendingPush(host, canonicalId)
  if (read.state === 'absent') return
  if (read.state === 'corrupt') {
    say('WARNING: what was kept of a push whose outcome was open cannot be read, and is dropped')
    return dropPendingPush(host, canonicalId)
  }
  const pending = read.value
  const pointer = await readPointer(node)
  if (pointer.state === 'unreadable') return
  const { push_id: pushId, base_push_id: basePushId, base_etag: baseEtag } = pending
  const verdict = pushVerdict(pointer, { pushId, basePushId, baseEtag })
  const mayStillCome = pointer.state === 'absent' || pointer.etag === baseEtag
  say(
    `the push of ${new Date(pending.at * 1000).toISOString()}, whose outcome was open, ${MESSAGES[verdict]}`,
  )
  // Where others pushed upon it, what this node knows of the remote copy may be newer.
  const isNewest = pointer.state === 'present' && pointer.pointer.push_id === pushId
  if (verdict === 'applied' && isNewest) await writeSyncState(host, canonicalId, syncedBy(pending, pointer))
  if (verdict !== 'open' || !mayStillCome) await dropPendingPush(host, canonicalId)
}

const MESSAGES = {
  applied: 'was committed',
  not_applied: 'was not committed',
  open: 'cannot be told from the remote copy',
}

function syncedBy({ push_id, sha256, content_sha256, at }: PendingPushState, pointer: PointerLook) {
  const recent = pointer.state === 'present' ? pointer.pointer.recent : []
  const term = recent.find((one) => one.push_id === push_id)?.term ?? 0
  return { last_synced_sha: sha256, content_sha256, term, at }
}
