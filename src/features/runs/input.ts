import type { RunListInput } from '#contracts/run.contract.ts'
import type { RunCompareInput } from '#contracts/run-comparison.contract.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { type RunState, runMachine } from '#domain/run/run.machine.ts'

export const RUN_FILTERS = ['status', 'agent', 'trigger', 'q'] as const
/** Those that the list filters by. */
export const TRIGGERS = ['manual', 'cron', 'event', 'rerun'] as const
const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/

/** The list's input from the URL; the server and the browser build it alike. */
export function runsInput(
  values: Readonly<Record<string, string | null | undefined>>,
): Omit<RunListInput, 'limit'> {
  const { status, agent, trigger, q } = values
  const started = TRIGGERS.find((known) => known === trigger)
  const known = (runMachine.states as readonly string[]).includes(status ?? '')
  return {
    ...(known ? { status: status as RunState } : {}),
    ...(agent && SLUG.test(agent) ? { agent } : {}),
    ...(started ? { trigger: started } : {}),
    ...(q ? { q: q.slice(0, 200) } : {}),
  }
}

const RUN = PATTERNS.run

/** The two runs that an address compares; null while it does not name two. */
export function compareInput({
  a,
  b,
}: Readonly<Record<string, string | null | undefined>>): RunCompareInput | null {
  return a && b && RUN.test(a) && RUN.test(b) ? { a, b } : null
}
