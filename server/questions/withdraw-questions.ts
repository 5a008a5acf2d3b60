import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import { transition } from '#server/ledger/transition.ts'

/** Takes back what a run still asks when it ends, in the transaction of its end ([questions#I-Q4]). */
export async function withdrawQuestions(tx: Db, runId: string, actor: Caller): Promise<void> {
  await transition(tx, {
    machine: 'run_question',
    event: 'withdraw',
    actor,
    where: sql`o.run_id = ${runId}`,
    returning: ['question_id'],
  })
}
