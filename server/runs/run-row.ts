import sql from 'sql-template-tag'
import type { RunState } from '#domain/run/run.machine.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import type { StepState } from '#domain/run/step.machine.ts'
import type { Db, Row } from '#server/ledger/database.ts'

/** The states of a run by what they are called in the code; the table stays the only place that names them. */
export const REQUESTED: RunState = runMachine.events.request.to
export const QUEUED: RunState = runMachine.events.accept.to
export const RUNNING: RunState = runMachine.events.start.to
export const WAITING_STATES: readonly RunState[] = [REQUESTED, QUEUED]
export const isFinal = (status: RunState): boolean => runMachine.final.includes(status)

export type RunErrorRow = { code: string; message: string; step: number | null; retryable: boolean }

/** A row of `run` as pg reads it. */
export type RunRow = Row & {
  run_id: string
  status: RunState
  revision: number
  agent_slug: string
  agent_version: string | null
  definition_sha256: string | null
  inbox_entry_id: string | null
  trigger: string
  requested_by: string
  correlation_id: string | null
  priority: 'normal' | 'high'
  params: Record<string, unknown>
  current_step: number
  steps_completed: number
  attempt: number
  resumes: number
  retries_used: number
  fence: number
  lease_holder: string | null
  lease_expires_at: Date | null
  wait_reason: string | null
  wait_blocker: string | null
  waiting_on: { kind: 'job'; id: string } | null
  cancel_requested: string | null
  error: RunErrorRow | null
  summary: string | null
  totals: RunTotals
  requested_at: Date
  queued_at: Date | null
  started_at: Date | null
  finished_at: Date | null
  updated_at: Date
}

/** What a run carries beside its columns: its place in the queue, who asked for a cancel, the manifest once it is known. */
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
export type StepRow = Row & {
  run_id: string
  step: number
  status: StepState
  attempts: StepAttempt[]
  input_digest: string | null
  output: Record<string, unknown> | null
  output_digest: string | null
  error: RunErrorRow | null
  fence: number
  started_at: Date
  finished_at: Date | null
}

export type CallRow = Row & {
  run_id: string
  call_index: number
  tool: string
  input_digest: string
  job_id: string | null
  outcome: Record<string, unknown> | null
  ok: boolean | null
  started_at: Date
  finished_at: Date | null
}

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
