import type { JobAttempt, JobHistoryRow } from '#contracts/job.contract.ts'
import { ACTIVE_JOB_STATES, type JobEvent, jobMachine } from '#domain/job/job.machine.ts'

const ACTIVE: readonly (string | null)[] = ACTIVE_JOB_STATES
/** How an attempt ended, by the state it led to. */
const OUTCOMES: Record<string, JobAttempt['outcome']> = {
  [jobMachine.events.commit.to]: 'complete',
  [jobMachine.events.nlm_busy.to]: 'retried',
}
const BACKOFF: string = jobMachine.events.nlm_busy.to
const QUEUED: string = jobMachine.events.admit.to
const [PICKED_UP, REQUEUED] = ['pick_up', 'requeue'] as const satisfies readonly JobEvent[]
const ms = (from: string, to: string): number => Date.parse(to) - Date.parse(from)
const after = (at: string, seconds: number): string =>
  new Date(Date.parse(at) + seconds * 1_000).toISOString()

/** The attempts of a job, oldest first, read off its history: each from its claim to the transition that ended it, with the pauses around it. */
export function attemptsOf(history: readonly JobHistoryRow[]): JobAttempt[] {
  const attempts: JobAttempt[] = []
  let round = 0
  let queuedAt: string | null = null
  for (const row of history) {
    if (row.outcome !== 'ok' || !row.to) continue
    if (row.transition === REQUEUED) round++
    if (row.from === BACKOFF) endBackoff(attempts.at(-1), row)
    if (row.to === QUEUED) queuedAt = row.at
    else if (row.transition === PICKED_UP) attempts.push({ ...begun(row), round, queued_at: queuedAt })
    else if (ACTIVE.includes(row.from)) advance(attempts.at(-1), row)
  }
  return attempts
}

function begun(row: JobHistoryRow): Omit<JobAttempt, 'round' | 'queued_at'> {
  return {
    attempt: row.attempt ?? 0,
    started_at: row.at,
    finished_at: null,
    ms: null,
    phases: [{ state: row.to ?? '', started_at: row.at, ms: null }],
    backoff_until: null,
    outcome: 'running',
    error: null,
  }
}

/** The backoff passed, or was cut short; then the retry that the attempt waited for never came. */
function endBackoff(last: JobAttempt | undefined, row: JobHistoryRow): void {
  if (!last?.finished_at) return
  if (last.backoff_until) last.backoff_until = row.at
  if (row.to !== QUEUED) last.outcome = 'failed'
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
  current.backoff_until = row.backoff_seconds === null ? null : after(row.at, row.backoff_seconds)
  current.outcome = OUTCOMES[row.to ?? ''] ?? 'failed'
}
