import type { JobAttempt, JobHistoryRow } from '#contracts/job.contract.ts'
import { ACTIVE_JOB_STATES } from '#domain/job/job.machine.ts'

const ACTIVE: readonly (string | null)[] = ACTIVE_JOB_STATES
const ms = (from: string, to: string): number => Date.parse(to) - Date.parse(from)

/** The tries of a job, oldest first, read off its history: each from its pick-up to the transition that ended it. */
export function attemptsOf(history: readonly JobHistoryRow[]): JobAttempt[] {
  const tries: JobAttempt[] = []
  for (const row of history) {
    if (row.outcome !== 'ok' || !row.to) continue
    if (row.transition === 'pick_up') tries.push(begun(row))
    else if (ACTIVE.includes(row.from)) advance(tries.at(-1), row)
  }
  return tries
}

function begun(row: JobHistoryRow): JobAttempt {
  return {
    attempt: row.attempt ?? 0,
    started_at: row.at,
    finished_at: null,
    ms: null,
    phases: [{ state: row.to ?? '', started_at: row.at, ms: null }],
    outcome: 'running',
    error: null,
  }
}

function advance(current: JobAttempt | undefined, row: JobHistoryRow): void {
  if (!current || current.finished_at) return
  const phase = current.phases.at(-1)
  if (phase) phase.ms = ms(phase.started_at, row.at)
  if (ACTIVE.includes(row.to)) {
    current.phases.push({ state: row.to ?? '', started_at: row.at, ms: null })
    return
  }
  current.finished_at = row.at
  current.ms = ms(current.started_at, row.at)
  current.error = row.error
  current.outcome = row.to === 'COMPLETE' ? 'complete' : row.to === 'RETRY_BACKOFF' ? 'retried' : 'failed'
}
