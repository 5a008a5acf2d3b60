/**
 * The journal of step 02: every tool call with the digest of its input and its outcome, recorded before the outcome is used. A replay
 * takes the recorded outcome, so nothing is asked or paid for twice ([runs#I-N9]). Writes carry the run's fence; the journal of a lost
 * run throws FenceLost, which ends the executor.
 */
import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import type { AwaitedWork, ToolCall, ToolJournal, ToolOutcome } from '#server/ports/agent-executor.ts'
import { type Fenced, FenceLost } from './run-parts.ts'
import { type CallRow, IN_RUNNING } from './run-row.ts'

export function callJournal(db: Db, lease: Fenced): ToolJournal {
  return {
    async recall(index) {
      const { rows } = await db.query<CallRow>(
        sql`SELECT * FROM run_call WHERE run_id = ${lease.runId} AND call_index = ${index} AND outcome IS NOT NULL`,
      )
      const row = rows[0]
      if (!row?.outcome) return undefined
      return { call: { index, tool: row.tool, inputDigest: row.input_digest }, outcome: row.outcome }
    },
    async record(call, outcome) {
      if (!(await write(db, lease, call, outcome))) throw new FenceLost(lease.runId)
    },
  }
}

/** Records a call that will be waited for before what it asks for is created, in the caller's transaction: a job, an LLM Task, or a question where there is neither. */
export async function recordWait(
  tx: Db,
  lease: Fenced,
  call: ToolCall,
  work: AwaitedWork | null,
): Promise<void> {
  const idOf = (kind: AwaitedWork['kind']) => (work?.kind === kind ? work.id : null)
  const { rows } = await tx.query(sql`WITH leased AS (
      SELECT run_id FROM run WHERE run_id = ${lease.runId} AND fence = ${lease.fence} AND status = ${IN_RUNNING} AND cancel_requested IS NULL FOR UPDATE)
    INSERT INTO run_call AS c (run_id, call_index, tool, input_digest, job_id, task_id)
    SELECT run_id, ${call.index}, ${call.tool}, ${call.inputDigest}, ${idOf('job')}, ${idOf('llm_task')} FROM leased
    ON CONFLICT (run_id, call_index) DO UPDATE SET job_id = c.job_id
    RETURNING call_index`)
  if (!rows[0]) throw new FenceLost(lease.runId)
}

async function write(db: Db, lease: Fenced, call: ToolCall, outcome: ToolOutcome): Promise<boolean> {
  const startedMs = Math.max(0, Math.round(outcome.ms))
  const { rows } = await db.query(sql`WITH leased AS (
      SELECT run_id FROM run WHERE run_id = ${lease.runId} AND fence = ${lease.fence} AND status = ${IN_RUNNING} FOR UPDATE)
    INSERT INTO run_call AS c (run_id, call_index, tool, input_digest, outcome, ok, started_at, finished_at)
    SELECT run_id, ${call.index}, ${call.tool}, ${call.inputDigest}, ${json(outcome)}, ${outcome.ok},
      clock_timestamp() - make_interval(secs => ${startedMs}::float8 / 1000), clock_timestamp() FROM leased
    ON CONFLICT (run_id, call_index) DO UPDATE SET outcome = excluded.outcome, ok = excluded.ok, finished_at = excluded.finished_at
      WHERE c.outcome IS NULL AND c.input_digest = excluded.input_digest
    RETURNING call_index`)
  return rows.length > 0
}
