/** Proposals that end without effect: expired, or discarded after a rejection. */
import sql from 'sql-template-tag'
import { type Caller, SCHEDULER } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import { transition } from '#server/ledger/transition.ts'
import type { Services } from '#server/services.ts'
import { type Outcome, transitionProposal } from './transition-proposal.ts'

/**
 * [proposals#P5] A proposal that nobody decided in time is EXPIRED, never approved; the event records whether anybody saw it. Called every
 * 60 s; returns how many, at most `limit`.
 */
export async function expireProposals({ db }: Pick<Services, 'db'>, limit = 500): Promise<number> {
  const rows = await transition(db, {
    machine: 'proposal',
    event: 'expire',
    actor: SCHEDULER,
    where: sql`o.expires_at <= clock_timestamp()`,
    set: sql`version = t.version + 1`,
    batch: { order: sql`o.expires_at, o.proposal_id`, limit },
    details: sql`jsonb_build_object('seen', m.seen_at IS NOT NULL)`,
    returning: ['proposal_id'],
  })
  return rows.length
}

/** [proposals#P14] REJECTED → DISCARDED; resubmit is no longer offered, nothing is deleted. */
export const discardProposal = (
  { db }: Pick<Services, 'db'>,
  { proposal_id: id }: { proposal_id: string },
  actor: Caller,
): Promise<Result<Outcome>> => transitionProposal(db, { id, event: 'discard', actor })

const DISCARD_DAYS = 30

/** [proposals#P14] by the scheduler: what was rejected 30 days ago. Returns how many, at most `limit`. */
export async function discardOldRejections({ db }: Pick<Services, 'db'>, limit = 500): Promise<number> {
  const rows = await transition(db, {
    machine: 'proposal',
    event: 'discard',
    actor: SCHEDULER,
    where: sql`o.decided_at <= clock_timestamp() - make_interval(days => ${DISCARD_DAYS})`,
    set: sql`version = t.version + 1`,
    batch: { order: sql`o.decided_at`, limit },
    returning: ['proposal_id'],
  })
  return rows.length
}
