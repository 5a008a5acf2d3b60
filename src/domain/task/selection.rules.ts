/**
 * Which worker gets a task, and why [runtime#selection]. Pure and total: the same workers, task and time give the same choice and the same
 * explanation. The capacity is taken afterwards by one guarded statement, which may still find it gone.
 */
import type { BreakerState } from './breaker.rules.ts'

export type Candidate = {
  workerId: string
  /** Whether it was heard lately enough, see `isOnline`. */
  online: boolean
  /** Whether it says that it can run a task. */
  canRun: boolean
  maxConcurrency: number
  activeLeases: number
  /** The contexts of its active leases. */
  contexts: readonly string[]
  labels: readonly string[]
  drained: boolean
  breaker: BreakerState
  /** Epoch milliseconds until which it rests after a rate limit; null for not. */
  rateLimitedUntil: number | null
  /** Epoch milliseconds of its last heartbeat. */
  lastHeartbeat: number
}

export type Wanted = {
  contextId: string
  requiredLabels: readonly string[]
  preferredLabels: readonly string[]
  /** The worker that the last failure leaves out, as long as another one could take the task now or later. */
  excluded: string | null
  /** The only worker that may have it: named by the caller, or the first one of a task without fallback. */
  only: string | null
}

/** Why a worker was not taken, in the order in which it is asked. */
export const FILTERS = [
  'not_named',
  'offline',
  'no_executable',
  'full',
  'labels',
  'drained',
  'breaker_open',
  'rate_limited',
  'excluded',
] as const
export type Filter = (typeof FILTERS)[number]

export const SELECTION_RULES = ['explicit', 'sticky', 'health', 'load', 'labels', 'tie'] as const
export type SelectionRule = (typeof SELECTION_RULES)[number]

export type Considered = {
  workerId: string
  verdict: 'chosen' | 'passed_over' | 'filtered'
  reason: Filter | SelectionRule
}
export type Selection = { rule: SelectionRule; chosen: string; considered: Considered[] }
export type NoWorker = {
  rule: null
  chosen: null
  considered: Considered[]
  filtered: Partial<Record<Filter, number>>
}

/** Heartbeats are compared by class: by the raw times the load would never be asked. */
const FRESH_MS = 15_000
const isFresh = (w: Candidate, now: number): boolean => now - w.lastHeartbeat <= FRESH_MS
const free = (w: Candidate): number => w.maxConcurrency - w.activeLeases
const labelsOf = (w: Candidate, wanted: Wanted): number =>
  wanted.preferredLabels.filter((label) => w.labels.includes(label)).length

type Stage = { rule: SelectionRule; compare(a: Candidate, b: Candidate): number }

/** Negative: the first is to be preferred. The first stage that tells two apart names the rule. */
const stagesOf = (wanted: Wanted, now: number): readonly Stage[] => [
  {
    rule: 'sticky',
    compare: (a, b) =>
      Number(b.contexts.includes(wanted.contextId)) - Number(a.contexts.includes(wanted.contextId)),
  },
  { rule: 'health', compare: (a, b) => Number(isFresh(b, now)) - Number(isFresh(a, now)) },
  { rule: 'load', compare: (a, b) => free(b) - free(a) || a.activeLeases - b.activeLeases },
  { rule: 'labels', compare: (a, b) => labelsOf(b, wanted) - labelsOf(a, wanted) },
  { rule: 'tie', compare: (a, b) => b.lastHeartbeat - a.lastHeartbeat || (a.workerId < b.workerId ? -1 : 1) },
]

const lacksLabels = (w: Candidate, wanted: Wanted): boolean =>
  wanted.requiredLabels.some((label) => !w.labels.includes(label))

/** Whether it will take the task some time, though perhaps not now. */
const couldTake = (w: Candidate, wanted: Wanted): boolean =>
  w.online && w.canRun && !w.drained && !lacksLabels(w, wanted)

/** The filter that a worker does not pass; null for an eligible one. */
function filterOf(w: Candidate, wanted: Wanted, now: number): Filter | null {
  const fails: Record<Filter, boolean> = {
    not_named: wanted.only !== null && wanted.only !== w.workerId,
    offline: !w.online,
    no_executable: !w.canRun,
    full: free(w) <= 0,
    labels: lacksLabels(w, wanted),
    drained: w.drained,
    // One that is half open gets one task to try.
    breaker_open: w.breaker === 'open' || (w.breaker === 'half_open' && w.activeLeases > 0),
    rate_limited: w.rateLimitedUntil !== null && w.rateLimitedUntil > now,
    excluded: wanted.excluded === w.workerId && wanted.only === null,
  }
  return FILTERS.find((filter) => fails[filter]) ?? null
}

export function selectWorker(
  workers: readonly Candidate[],
  asked: Wanted,
  now: number,
): Selection | NoWorker {
  // Leaving out the only worker there is would leave the task without an end.
  const hasOther = workers.some((w) => w.workerId !== asked.excluded && couldTake(w, asked))
  const wanted = hasOther ? asked : { ...asked, excluded: null }
  const looked = workers.map((worker) => ({ worker, filter: filterOf(worker, wanted, now) }))
  const stages = stagesOf(wanted, now)
  const eligible = looked.flatMap(({ worker, filter }) => (filter ? [] : [worker]))
  const [first, ...others] = eligible.sort((a, b) => firstDifference(stages, a, b)?.order ?? 0)
  const filtered = looked.flatMap(({ worker, filter }): Considered[] =>
    filter ? [{ workerId: worker.workerId, verdict: 'filtered', reason: filter }] : [],
  )
  if (!first) return { rule: null, chosen: null, considered: filtered, filtered: countsOf(filtered) }
  const passedOver = others.map(
    (other): Considered => ({
      workerId: other.workerId,
      verdict: 'passed_over',
      reason: firstDifference(stages, first, other)?.rule ?? 'tie',
    }),
  )
  const decisive = passedOver[0]?.reason as SelectionRule | undefined
  // One that stands alone is there for its context, or for being there at all.
  const alone = first.contexts.includes(wanted.contextId) ? 'sticky' : 'health'
  const rule = wanted.only === null ? (decisive ?? alone) : 'explicit'
  const chosen: Considered = { workerId: first.workerId, verdict: 'chosen', reason: rule }
  return { rule, chosen: first.workerId, considered: [chosen, ...passedOver, ...filtered] }
}

function firstDifference(
  stages: readonly Stage[],
  a: Candidate,
  b: Candidate,
): { rule: SelectionRule; order: number } | null {
  for (const { rule, compare } of stages) {
    const order = compare(a, b)
    if (order !== 0) return { rule, order }
  }
  return null
}

function countsOf(filtered: readonly Considered[]): Partial<Record<Filter, number>> {
  const counts: Partial<Record<Filter, number>> = {}
  for (const { reason } of filtered) counts[reason as Filter] = (counts[reason as Filter] ?? 0) + 1
  return counts
}
