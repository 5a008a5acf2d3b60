import type { JobAttempt, JobError, JobHistoryRow } from '#contracts/job.contract.ts'
import { ACTIVE_JOB_STATES, jobMachine } from '#domain/job/job.machine.ts'
import { type Row, rowsOf, selected } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'

const HISTORY_LIMIT = 1_000

const SHOWN = [
  'id',
  'event_id',
  'ts',
  'name',
  'actor',
  'actor_role',
  'transition',
  'from_status',
  'to_status',
  'reason',
  'outcome',
  'node',
  'details',
] as const

/** What the transitions of a job write into `details` (`AT_FENCE`, `WITH_ERROR`). */
type JobDetails = { attempt?: number; fence?: number; error?: JobError; backoff_seconds?: number }

/** The append-only history of a job, oldest first: its newest thousand lines. */
export async function jobHistory(
  { reads }: Pick<Services, 'reads'>,
  jobId: string,
): Promise<JobHistoryRow[]> {
  const found = await reads.event.findMany({
    select: selected(SHOWN),
    where: { resource_type: 'job', resource_id: jobId },
    orderBy: { id: 'desc' },
    take: HISTORY_LIMIT,
  })
  const seals = await reads.eventSeal.findMany({
    select: { event: true, seq: true },
    where: { event: { in: found.map((event) => event.id) } },
  })
  const seqOf = new Map(seals.map((seal) => [Number(seal.event), Number(seal.seq)]))
  return rowsOf('event', found)
    .reverse()
    .map((event) => historyRow(event, seqOf.get(event.id) ?? null))
}

function historyRow(e: Row<'event', (typeof SHOWN)[number]>, seq: number | null): JobHistoryRow {
  const details: JobDetails = e.details
  return {
    seq,
    event_id: e.event_id,
    event: e.name,
    transition: e.transition,
    from: e.from_status,
    to: e.to_status,
    outcome: e.outcome,
    attempt: details.attempt ?? null,
    fence: details.fence ?? null,
    actor: e.actor,
    actor_role: e.actor_role,
    reason: e.reason,
    error: details.error ?? null,
    backoff_seconds: details.backoff_seconds ?? null,
    node: e.node,
    at: e.ts.toISOString(),
  }
}

const ACTIVE: readonly (string | null)[] = ACTIVE_JOB_STATES
/** How an attempt ended, by the state it led to. */
const OUTCOMES: Record<string, JobAttempt['outcome']> = {
  [jobMachine.events.commit.to]: 'complete',
  [jobMachine.events.nlm_busy.to]: 'retried',
}
const BACKOFF: string = jobMachine.events.nlm_busy.to
const AGAIN: string = jobMachine.events.backoff_elapsed.to
const ms = (from: string, to: string): number => Date.parse(to) - Date.parse(from)

/** The attempts of a job, oldest first, read off its history: each from its claim to the transition that ended it. */
export function attemptsOf(history: readonly JobHistoryRow[]): JobAttempt[] {
  const attempts: JobAttempt[] = []
  for (const row of history) {
    if (row.outcome !== 'ok' || !row.to) continue
    if (row.transition === 'pick_up') attempts.push(begun(row))
    else if (ACTIVE.includes(row.from)) advance(attempts.at(-1), row)
    else if (row.from === BACKOFF && row.to !== AGAIN) giveUp(attempts.at(-1))
  }
  return attempts
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

/** The retry that it waited for never came. */
function giveUp(last: JobAttempt | undefined): void {
  if (last?.finished_at) last.outcome = 'failed'
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
  current.outcome = OUTCOMES[row.to ?? ''] ?? 'failed'
}
