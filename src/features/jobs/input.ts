import type { JobFilter } from '#contracts/job.contract.ts'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'

export const JOB_FILTERS = ['status', 'agent', 'q'] as const

const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/

/** The filter from the URL; the server and the browser build it alike. What does not fit is left out. */
export function jobsInput(values: Readonly<Record<string, string | null | undefined>>): JobFilter {
  const { status, agent, q } = values
  const known = (jobMachine.states as readonly string[]).includes(status ?? '')
  return {
    ...(known ? { status: [status as JobState] } : {}),
    ...(agent && SLUG.test(agent) ? { agent } : {}),
    ...(q ? { q: q.slice(0, 200) } : {}),
  }
}
