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
  /** Workers that are not to choose from here and could take it in another way, as those do that fetch. */
  elsewhere?: readonly Candidate[]
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

/** What a number of `ranksOf` decides. */
const RULES: readonly SelectionRule[] = ['sticky', 'health', 'load', 'load', 'labels', 'tie']

/** A worker in numbers: the higher is to be preferred, the first that differs decides. */
const ranksOf = (w: Candidate, wanted: Wanted, now: number): readonly number[] => [
  Number(w.contexts.includes(wanted.contextId)),
  Number(isFresh(w, now)),
  free(w),
  -w.activeLeases,
  labelsOf(w, wanted),
  w.lastHeartbeat,
]
type Ranked = { worker: Candidate; ranks: readonly number[] }

const lacksLabels = (w: Candidate, wanted: Wanted): boolean =>
  wanted.requiredLabels.some((label) => !w.labels.includes(label))

/** Whether it will take the task some time, though perhaps not now. */
const couldTake = (w: Candidate, wanted: Wanted): boolean =>
  w.online && w.canRun && !w.drained && !lacksLabels(w, wanted)

type Check = (w: Candidate, wanted: Wanted, now: number) => boolean
const FAILS: Readonly<Record<Filter, Check>> = {
  not_named: (w, wanted) => wanted.only !== null && wanted.only !== w.workerId,
  offline: (w) => !w.online,
  no_executable: (w) => !w.canRun,
  full: (w) => free(w) <= 0,
  labels: lacksLabels,
  drained: (w) => w.drained,
  // One that is half open gets one task to try.
  breaker_open: (w) => w.breaker === 'open' || (w.breaker === 'half_open' && w.activeLeases > 0),
  rate_limited: (w, _, now) => w.rateLimitedUntil !== null && w.rateLimitedUntil > now,
  excluded: (w, wanted) => wanted.excluded === w.workerId && wanted.only === null,
}

/** The filter that a worker does not pass; null for an eligible one. */
const filterOf = (w: Candidate, wanted: Wanted, now: number): Filter | null =>
  FILTERS.find((filter) => FAILS[filter](w, wanted, now)) ?? null

export function selectWorker(
  workers: readonly Candidate[],
  asked: Wanted,
  now: number,
): Selection | NoWorker {
  // Leaving out the only worker there is would leave the task without an end.
  const everybody = [...workers, ...(asked.elsewhere ?? [])]
  const hasOther = everybody.some((w) => w.workerId !== asked.excluded && couldTake(w, asked))
  const wanted = hasOther ? asked : { ...asked, excluded: null }
  const looked = workers.map((worker) => ({ worker, filter: filterOf(worker, wanted, now) }))
  const eligible = looked.flatMap(({ worker, filter }): Ranked[] =>
    filter ? [] : [{ worker, ranks: ranksOf(worker, wanted, now) }],
  )
  const [first, ...others] = eligible.sort(byPreference)
  const filtered = looked.flatMap(({ worker, filter }): Considered[] =>
    filter ? [{ workerId: worker.workerId, verdict: 'filtered', reason: filter }] : [],
  )
  if (!first) return { rule: null, chosen: null, considered: filtered, filtered: countsOf(filtered) }
  const passedOver = others.map(
    (other): Considered => ({
      workerId: other.worker.workerId,
      verdict: 'passed_over',
      reason: RULES[firstDifference(first, other)] ?? 'tie',
    }),
  )
  const decisive = passedOver[0]?.reason as SelectionRule | undefined
  const { workerId, contexts } = first.worker
  // One that stands alone is there for its context, or for being there at all.
  const alone = contexts.includes(wanted.contextId) ? 'sticky' : 'health'
  const rule = wanted.only === null ? (decisive ?? alone) : 'explicit'
  const chosen: Considered = { workerId, verdict: 'chosen', reason: rule }
  return { rule, chosen: workerId, considered: [chosen, ...passedOver, ...filtered] }
}

/** Which rank tells them apart; the number of ranks for two that are alike in all. Asked ten thousand times for a thousand workers, so it allocates nothing. */
function firstDifference(a: Ranked, b: Ranked): number {
  let i = 0
  while (i < RULES.length && a.ranks[i] === b.ranks[i]) i++
  return i
}

/** Negative: the first is to be preferred. Of two that are alike in all the lower id is. */
function byPreference(a: Ranked, b: Ranked): number {
  const i = firstDifference(a, b)
  if (i === RULES.length) return a.worker.workerId < b.worker.workerId ? -1 : 1
  return (b.ranks[i] as number) - (a.ranks[i] as number)
}

function countsOf(filtered: readonly Considered[]): Partial<Record<Filter, number>> {
  const counts: Partial<Record<Filter, number>> = {}
  for (const { reason } of filtered) counts[reason as Filter] = (counts[reason as Filter] ?? 0) + 1
  return counts
}
