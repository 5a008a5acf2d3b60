import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { transition } from '#server/ledger/transition.ts'
import type { Services } from '#server/services.ts'

const BATCH = 100

/** Ends the questions whose time is over; where one has a default, that is its answer, and the event says so. Returns how many. */
export async function expireQuestions({ db }: Pick<Services, 'db'>): Promise<number> {
  const expired = await transition(db, {
    machine: 'run_question',
    event: 'expire',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.expires_at <= clock_timestamp()`,
    set: sql`answer = t.default_answer, answered_at = CASE WHEN t.default_answer IS NULL THEN NULL ELSE clock_timestamp() END`,
    batch: { order: sql`o.expires_at`, limit: BATCH },
    details: sql`jsonb_build_object('by_default', m.answer IS NOT NULL, 'answer', m.answer)`,
    returning: ['question_id'],
  })
  return expired.length
}
