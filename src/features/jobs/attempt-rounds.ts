import type { JobAttempt } from '#contracts/job.contract.ts'
import { ACTIVE_JOB_STATES, type ActiveJobState } from '#domain/job/job.machine.ts'

/** What a stretch of time was: a phase of work, the queue before an attempt, or the backoff after it. */
export const SEGMENT_KINDS = [...ACTIVE_JOB_STATES, 'queue', 'backoff'] as const
export type SegmentKind = (typeof SEGMENT_KINDS)[number]
export type Segment = {
  kind: SegmentKind
  from: number
  /** Null while it goes on. */
  to: number | null
}
export type AttemptRow = { attempt: JobAttempt; segments: Segment[] }
/** The attempts between two requeues. */
export type Round = {
  round: number
  /** When the job was put into the queue for the first of them. */
  queued_at: string | null
  rows: AttemptRow[]
}

const isPhase = (state: string): state is ActiveJobState =>
  (ACTIVE_JOB_STATES as readonly string[]).includes(state)

/** The attempts by requeue, the newest round first: what lies between two rounds, a day as dead, is on no axis. */
export function roundsOf(attempts: readonly JobAttempt[]): Round[] {
  const rounds: Round[] = []
  for (const attempt of attempts) {
    const current = rounds.at(-1)
    if (current?.round === attempt.round) current.rows.push(rowOf(attempt, false))
    else rounds.push({ round: attempt.round, queued_at: attempt.queued_at, rows: [rowOf(attempt, true)] })
  }
  return rounds.reverse()
}

/** The axis begins with the first attempt: how long that one was queued is said in words. */
function rowOf(attempt: JobAttempt, first: boolean): AttemptRow {
  const began = Date.parse(attempt.started_at)
  const phases = attempt.phases.flatMap(({ state, started_at, ms }): Segment[] => {
    const from = Date.parse(started_at)
    return isPhase(state) ? [{ kind: state, from, to: ms === null ? null : from + ms }] : []
  })
  const queue: Segment[] =
    first || !attempt.queued_at ? [] : [{ kind: 'queue', from: Date.parse(attempt.queued_at), to: began }]
  const backoff: Segment[] =
    attempt.backoff_until && attempt.finished_at
      ? [{ kind: 'backoff', from: Date.parse(attempt.finished_at), to: Date.parse(attempt.backoff_until) }]
      : []
  return { attempt, segments: [...queue, ...phases, ...backoff] }
}

export type Axis = {
  total: number
  /** True while now is on the axis: something runs, or a backoff has not passed. */
  live: boolean
  x: (at: number) => string
  width: (from: number, to: number) => string
}

/** No segment is thinner than this, so that what was fast is still seen. */
const LEAST_PERCENT = 0.6

/** One axis for a round: from its first attempt to its last instant, or to now while it goes on. */
export function axisOf(rows: readonly AttemptRow[], now: number): Axis {
  const segments = rows.flatMap((row) => row.segments)
  const begin = Math.min(...segments.map(({ from }) => from))
  const end = Math.max(...segments.map(({ from, to }) => to ?? Math.max(now, from)))
  const live = segments.some(({ to }) => to === null) || (now >= begin && now < end)
  const total = Math.max(1, end - begin)
  const percent = (length: number) => Math.min(100, Math.max(0, (length / total) * 100))
  return {
    total,
    live,
    x: (at) => `${Math.min(percent(at - begin), 100 - LEAST_PERCENT)}%`,
    width: (from, to) => `${Math.max(percent(to - from), LEAST_PERCENT)}%`,
  }
}

/** How long these attempts worked, without the queue and the backoffs. */
export const workOf = (attempts: readonly JobAttempt[], now: number): number =>
  attempts.reduce((sum, { started_at, ms }) => sum + (ms ?? Math.max(0, now - Date.parse(started_at))), 0)
