import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { LEASE_SECONDS, PHASE_LIMIT_SECONDS } from '#domain/job/job.rules.ts'
import { fromNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { move } from '#server/ledger/move.ts'
import { AT_FENCE, type Hold } from './held-job.ts'

/** Seconds between two questions to the NotebookLM Backend when no callback comes (page 02, section 3). */
export const POLL_SECONDS = 10

export type ReadyContext = Hold & {
  context_key: string
  context_sha256: string
  /** SHA-256 of the write token that goes out with the call (page 09, section 5). */
  write_token_hash: string
}

/** J5, for several jobs in one commit, each under its own fence. Answers, in order, which of them moved. */
export async function readyContexts(db: Db, contexts: ReadyContext[]): Promise<boolean[]> {
  const rows = await move<{ job_id: string }>(db, {
    machine: 'job',
    event: 'context_ready',
    actor: ORCHESTRATION_LAYER,
    items: {
      rows: sql`unnest(${contexts.map((c) => c.job_id)}::uuid[], ${contexts.map((c) => c.fence)}::bigint[],
        ${contexts.map((c) => c.context_key)}::text[], ${contexts.map((c) => c.context_sha256)}::text[],
        ${contexts.map((c) => c.write_token_hash)}::text[]) AS i(i_job, i_fence, i_key, i_sha, i_token)`,
      columns: ['i_key', 'i_sha', 'i_token'],
    },
    where: sql`o.job_id = i.i_job AND o.fence = i.i_fence`,
    hot: true,
    set: sql`context_key = o.i_key, context_sha256 = o.i_sha, write_token_hash = o.i_token,
      lease_expires_at = ${fromNow(LEASE_SECONDS)}, phase_deadline = ${fromNow(PHASE_LIMIT_SECONDS.NOTEBOOKLM_CALL)}, poll_at = ${fromNow(POLL_SECONDS)}`,
    details: AT_FENCE,
    returning: sql`m.job_id`,
  })
  const moved = new Set(rows.map((r) => r.job_id))
  return contexts.map((c) => moved.has(c.job_id))
}
