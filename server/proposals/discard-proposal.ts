import sql from 'sql-template-tag'
import { type Caller, SCHEDULER } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import { move } from '#server/ledger/move.ts'
import { type Outcome, transition } from './transition.ts'

/** P14: REJECTED → DISCARDED; a resubmission is no longer offered, nothing is deleted. */
export const discardProposal = (
  { db }: Pick<Services, 'db'>,
  { proposal_id: id }: { proposal_id: string },
  actor: Caller,
): Promise<Result<Outcome>> => transition(db, { id, event: 'discard', actor })

const DISCARD_DAYS = 30

/** P14 by the scheduler: what was rejected 30 days ago. Returns how many, at most `limit`. */
export async function discardOldRejections({ db }: Pick<Services, 'db'>, limit = 500): Promise<number> {
  const rows = await move(db, {
    machine: 'proposal',
    event: 'discard',
    actor: SCHEDULER,
    where: sql`o.decided_at <= clock_timestamp() - make_interval(days => ${DISCARD_DAYS})`,
    set: sql`version = t.version + 1`,
    batch: { order: sql`o.decided_at`, limit },
    returning: sql`m.proposal_id`,
  })
  return rows.length
}
