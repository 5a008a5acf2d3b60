import sql, { raw, type Sql } from 'sql-template-tag'
import type { RunRow as RunRowView } from '#contracts/run.contract.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { RUNNING } from '#domain/run/run.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import type { AwaitedWork, CallName, ToolOutcome } from '#server/ports/agent-executor.ts'

/** The state of a run that somebody may work on, inside SQL: `status = ${IN_RUNNING}`. */
export const IN_RUNNING = state(runMachine, RUNNING)

/** The run of this alias has its agent's lane: it is running and not parked on a question. */
export const worked = (alias: 'r'): Sql =>
  sql`${raw(alias)}.status = ${IN_RUNNING} AND ${raw(alias)}.parked_at IS NULL`

export type RunErrorRow = { code: string; message: string; step: number | null; retryable: boolean }

/** What a run carries beside its columns: its position in the queue, who asked for a cancel, the manifest once it is known. */
export type RunTotals = {
  queue_position?: number
  cancelled_by?: string
  manifest?: Record<string, unknown>
}

export type StepAttempt = {
  n: number
  started_at: string
  ms: number
  error?: { code: string; message: string }
}

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    run: {
      priority: 'normal' | 'high'
      params: Record<string, unknown>
      wait_reason: RunRowView['wait_reason']
      waiting_on: AwaitedWork | { kind: 'question'; id: string } | null
      error: RunErrorRow | null
      totals: RunTotals
    }
    run_step: {
      attempts: StepAttempt[]
      output: Record<string, unknown> | null
      error: RunErrorRow | null
    }
    run_call: { tool: CallName; outcome: ToolOutcome | null }
  }
}

export type RunRow = Row<'run'>
export type StepRow = Row<'run_step'>
export type CallRow = Row<'run_call'>

/** The call asks for something that comes later: a job, an LLM Task or a person's answer. */
export const isWait = ({ job_id, task_id, tool }: Pick<CallRow, 'job_id' | 'task_id' | 'tool'>): boolean =>
  job_id !== null || task_id !== null || tool === 'ask-person'

export async function readRun(db: Db, runId: string): Promise<RunRow | null> {
  const { rows } = await db.query<RunRow>(sql`SELECT * FROM run WHERE run_id = ${runId}`)
  return rows[0] ?? null
}

/** The steps of a run that were begun, in order. */
export async function readSteps(db: Db, runId: string): Promise<StepRow[]> {
  const { rows } = await db.query<StepRow>(sql`SELECT * FROM run_step WHERE run_id = ${runId} ORDER BY step`)
  return rows
}

/** The journal of step 02, in the order of the calls. */
export async function readCalls(db: Db, runId: string): Promise<CallRow[]> {
  const { rows } = await db.query<CallRow>(
    sql`SELECT * FROM run_call WHERE run_id = ${runId} ORDER BY call_index`,
  )
  return rows
}
