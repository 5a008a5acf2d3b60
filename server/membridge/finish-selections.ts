/**
 * Ends selections whose process was killed or was not told how its write ended ([membridge#selections]). The lease in the store says whose it is; the record
 * says who asked and why. The request itself may end it at the same time: object, transition and event are each made once, whoever comes first.
 */
import sql from 'sql-template-tag'
import type { Lease } from '#domain/leadership/lease-object.ts'
import { selectionMachine } from '#domain/leadership/selection.machine.ts'
import { finishWritten } from '#domain/leadership/selection-protocol.ts'
import { writeAuditObject } from '#server/leadership/audit-object.ts'
import type { Db } from '#server/ledger/database.ts'
import { state } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { runOnStore } from './leadership-protocol.ts'
import { refreshMirror } from './refresh-mirror.ts'
import { callerOf, closePromoted, closeRefused, type SelectionRow } from './selection-record.ts'

type Parts = Pick<Services, 'db' | 'store' | 'storeConditions' | 'log'>

/**
 * Longer than any write can be under way: a lease that was not seen by then is given up. A selection writes up to four times and reads back each
 * time, at 41 s a call to a store that does not answer, and pauses in between.
 */
export const GIVE_UP_SECONDS = 400
const BATCH = 50

/**
 * Looks at open selections, oldest first, and ends those that can be ended; returns how many it ended. The first look that the store does not answer is
 * the last one.
 */
export async function finishSelections(services: Parts): Promise<number> {
  const open = await openSelections(services.db)
  if (open.length === 0 || (await services.storeConditions.ensure()).refusal !== null) return 0
  let ended = 0
  for (const row of open) {
    const { isEnded, isAnswered } = await finish(services, row)
    if (isEnded) ended += 1
    if (!isAnswered) break
  }
  return ended
}

type Open = SelectionRow & { overdue: boolean }

/** Those that nobody has ended, and those given up whose lease stands there after all. */
async function openSelections(db: Db): Promise<Open[]> {
  const [pending, refused] = [state(selectionMachine, 'pending'), state(selectionMachine, 'refused')]
  const { rows } =
    await db.query<Open>(sql`SELECT s.*, s.created_at <= clock_timestamp() - make_interval(secs => ${GIVE_UP_SECONDS}) AS overdue
    FROM ((SELECT p.* FROM membridge_selection p WHERE p.status = ${pending} ORDER BY p.created_at, p.selection_id LIMIT ${BATCH})
      UNION ALL SELECT r.* FROM membridge_lease l JOIN membridge_selection r ON r.selection_id = l.nonce WHERE r.status = ${refused}) s
    ORDER BY s.created_at, s.selection_id LIMIT ${BATCH}`)
  return rows
}

async function finish(services: Parts, row: Open): Promise<{ isEnded: boolean; isAnswered: boolean }> {
  const { canonical_id: cid, selection_id: id, reason } = row
  const caller = callerOf(row)
  let audited = false
  const end = await runOnStore(services, finishWritten(JSON.parse(row.lease) as Lease, cid, reason), {
    cid,
    actor: caller.identity,
    audit: async (entry) => {
      await writeAuditObject(services.store, entry)
      audited = true
    },
  })
  const isAnswered = end !== 'unanswered'
  if (end === 'promoted' && audited) {
    await refreshMirror(services, cid)
    return { isAnswered, isEnded: await closePromoted(services.db, id, caller, reason) }
  }
  if (!row.overdue || end === 'promoted' || row.status !== 'pending') return { isAnswered, isEnded: false }
  const refused = { cid, caller, reason, ...givenUp(row, end) }
  return { isAnswered, isEnded: await closeRefused(services.db, id, refused) }
}

/** Why it is given up: the lease is another's, or nobody can tell any more. */
const givenUp = (
  { primary_node_id, epoch, term, force }: SelectionRow,
  end: 'lost' | 'open' | 'unanswered',
): Pick<Parameters<typeof closeRefused>[2], 'code' | 'details'> => ({
  code: end === 'lost' ? 'EPOCH_STALE' : 'STORAGE_UNAVAILABLE',
  details: { primary_node_id, epoch, term, force, given_up: true },
})
