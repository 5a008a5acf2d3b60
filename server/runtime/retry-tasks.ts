import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import { transition } from '#server/ledger/transition.ts'
import { RUNTIME } from './runtime-rows.ts'

const BATCH = 200

/** T6: tasks whose time to try again has come. Returns how many. */
export async function retryTasks({ db }: { db: Db }): Promise<number> {
  const rows = await transition(db, {
    machine: 'llm_task',
    event: 'retry',
    actor: RUNTIME,
    where: sql`o.retry_at <= clock_timestamp()`,
    batch: { order: sql`o.retry_at`, limit: BATCH },
    set: sql`retry_at = NULL, not_before = clock_timestamp(), ended_at = NULL`,
    details: sql`jsonb_build_object('attempt', m.attempts)`,
    returning: ['task_id'],
  })
  return rows.length
}
