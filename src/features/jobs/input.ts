import type { JobFilter } from '#contracts/job.contract.ts'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { JOB_TYPES } from '#domain/job/job.rules.ts'
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

/** The day in UTC, as the address names it; nothing for what is no day. */
const dayOf = (text: string | null | undefined, days = 0): string | undefined => {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text ?? '') ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(at) ? undefined : new Date(at + days * 86_400_000).toISOString()
}

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
    from: dayOf(values.from),
    to: dayOf(values.to, 1),
    q: values.q ? values.q.slice(0, 200) : undefined,
  }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as JobFilter
}
