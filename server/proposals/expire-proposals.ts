import sql from 'sql-template-tag'
import { SCHEDULER } from '#domain/authority/caller.ts'
import type { Services } from '#server/composition/services.ts'
import { move } from '#server/ledger/move.ts'

/**
 * P5: what waited until its time was over is EXPIRED, never approved; the event says whether anybody ever saw it. Called every 60 s;
 * returns how many, at most `limit` (the caller asks again while it is full).
 */
export async function expireProposals({ db }: Pick<Services, 'db'>, limit = 500): Promise<number> {
  const rows = await move(db, {
    machine: 'proposal',
    event: 'expire',
    actor: SCHEDULER,
    where: sql`o.expires_at <= clock_timestamp()`,
    set: sql`version = t.version + 1`,
    batch: { order: sql`o.expires_at, o.proposal_id`, limit },
    details: sql`jsonb_build_object('seen', m.seen_at IS NOT NULL)`,
    returning: sql`m.proposal_id`,
  })
  return rows.length
}
