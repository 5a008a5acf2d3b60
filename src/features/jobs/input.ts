import type { JobFilter } from '#contracts/job.contract.ts'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { JOB_TYPES } from '#domain/job/job.rules.ts'
import { startOfDay } from '#domain/kernel/days.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'

export const JOB_FILTERS = ['status', 'type', 'agent', 'run', 'code', 'phase', 'from', 'to', 'q'] as const

/** The word of the address for jobs that were cancelled: FAILED in the ledger, but nothing went wrong. */
export const CANCELLED = 'CANCELLED'
const FAILED: JobState = jobMachine.events.cancel.to
const ENDS = {
  cancelled: { status: [FAILED], failure: 'cancelled' },
  failed: { status: [FAILED], cancelled: 'no' },
} as const

const CODE = /^[A-Z][A-Z0-9_]{0,63}$/

const instantOf = (text: string | null | undefined, later = 0) => startOfDay(text, later)?.toISOString()

const oneOf = <Word extends string>(words: readonly Word[], text: string | null | undefined) =>
  words.find((word) => word === text)
const matching = (pattern: RegExp, text: string | null | undefined) =>
  text && pattern.test(text) ? text : undefined

/** The filter from the URL; the server and the browser build it alike. What does not fit is left out. */
export function jobsInput(values: Readonly<Record<string, string | null | undefined>>): JobFilter {
  const status = oneOf<JobState>(jobMachine.states, values.status)
  const filter = {
    ...(values.status === CANCELLED ? ENDS.cancelled : status === FAILED ? ENDS.failed : {}),
    ...(status && status !== FAILED && { status: [status] }),
    type: oneOf(JOB_TYPES, values.type),
    agent: matching(PATTERNS.slug, values.agent),
    run: matching(PATTERNS.run, values.run),
    code: matching(CODE, values.code),
    phase: oneOf<JobState>(jobMachine.states, values.phase),
    from: instantOf(values.from),
    to: instantOf(values.to, 1),
    q: values.q ? values.q.slice(0, 200) : undefined,
  }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as JobFilter
}
