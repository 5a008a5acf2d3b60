/**
 * LLM Tasks and their workers as a model: what each task's state, attempts and fence must be, how many leases a worker has, whether its breaker lets it
 * work; said independently of the SQL. A walk moves it beside the ledger.
 */
import type { TaskState } from '#domain/task/task.machine.ts'
import type { Granted } from '../lease-task.ts'
import { failure, success } from './runtime-room.ts'

export type ModelTask = {
  id: string
  state: TaskState
  attempts: number
  fence: number
  worker: ModelWorker | null
  lease: Granted | null
  expired: boolean
  /** Failed, with a time to try again. */
  waits: boolean
  passed: boolean
  /** Handed back, and its delay not over. */
  delayed: boolean
  excluded: ModelWorker | null
  /** The worker of the lease before, where that failed. */
  failedAt: ModelWorker | null
}
export type ModelWorker = {
  id: string
  max: number
  active: number
  online: boolean
  drained: boolean
  resting: boolean
  failures: number
  breaker: 'closed' | 'open' | 'half_open'
  cooled: boolean
}

export const REPORTS = {
  complete: success('one'),
  fail: failure('HTTP 500'),
  'fail for good': failure('no', { error_code: 'budget_exceeded' }),
  'rate limit': failure('429', { error_code: 'rate_limited' }),
}
export type Report = keyof typeof REPORTS

export const MAX_ATTEMPTS = 3

export const newModelTask = (id: string): ModelTask => ({
  ...{ id, state: 'queued', attempts: 0, fence: 0, worker: null, lease: null },
  ...{ expired: false, waits: false, passed: false, delayed: false, excluded: null, failedAt: null },
})

export const newModelWorker = (id: string, max: number): ModelWorker => ({
  ...{ id, max, active: 0, online: true, drained: false, resting: false },
  ...{ failures: 0, breaker: 'closed', cooled: false },
})

const takes = (w: ModelWorker): boolean =>
  w.online &&
  !w.drained &&
  !w.resting &&
  w.active < w.max &&
  (w.breaker === 'closed' || ((w.breaker === 'half_open' || w.cooled) && w.active === 0))

/** Who could take the task now: whoever is asked for by name, or all but the one it was taken from, while there is another. */
export function ableOf(
  workers: readonly ModelWorker[],
  t: ModelTask,
  named: ModelWorker | null,
): ModelWorker[] {
  const hasOther = workers.some((w) => w !== t.excluded && w.online && !w.drained)
  const mayTake = (w: ModelWorker) => named === w || !(hasOther && w === t.excluded)
  return workers.filter((w) => (!named || w === named) && takes(w) && mayTake(w))
}

export function grant(t: ModelTask, worker: ModelWorker, lease: Granted): void {
  worker.active++
  Object.assign(t, {
    ...{ state: 'leased', attempts: t.attempts + 1, fence: t.fence + 1, worker, lease },
    expired: false,
  })
}

/** The report counts: the lease is over, and the worker is there. */
export function endByReport(t: ModelTask, worker: ModelWorker, said: Report): void {
  release(t)
  worker.online = true
  if (said === 'complete') succeed(t, worker)
  else fail(t, worker, said)
}

function succeed(t: ModelTask, worker: ModelWorker): void {
  Object.assign(worker, { failures: 0, breaker: 'closed', cooled: false })
  Object.assign(t, { state: 'completed', excluded: null, failedAt: null })
}

function fail(t: ModelTask, worker: ModelWorker, said: Report): void {
  if (said === 'fail') countAgainst(worker)
  if (said === 'rate limit') worker.resting = true
  const isFinal = said === 'fail for good'
  const spent = t.attempts >= MAX_ATTEMPTS
  const another = said === 'rate limit' || (said === 'fail' && t.failedAt === worker)
  Object.assign(t, {
    ...{ state: !isFinal && spent ? 'dead' : 'failed', waits: !isFinal && !spent, passed: false },
    ...{ excluded: another ? worker : null, failedAt: worker },
  })
}

export function countAgainst(worker: ModelWorker): void {
  const half = worker.breaker === 'half_open' || (worker.breaker === 'open' && worker.cooled)
  worker.failures++
  if (half || (worker.breaker === 'closed' && worker.failures >= 3))
    Object.assign(worker, { breaker: 'open', cooled: false })
}

function release(t: ModelTask): void {
  if (t.worker) t.worker.active--
  Object.assign(t, { worker: null, lease: null, expired: false })
}

/** The node certainly did not take it: no attempt is lost. */
export function returnUntaken(t: ModelTask, worker: ModelWorker): void {
  release(t)
  countAgainst(worker)
  Object.assign(t, {
    state: 'queued',
    attempts: t.attempts - 1,
    delayed: true,
    excluded: worker,
    failedAt: null,
  })
}

/** The lease has ended without an answer. */
export function passOn(t: ModelTask, worker: ModelWorker): void {
  release(t)
  const spent = t.attempts >= MAX_ATTEMPTS
  Object.assign(t, {
    state: spent ? 'dead' : 'queued',
    failedAt: null,
    ...(spent ? {} : { excluded: worker }),
  })
}

export function cancel(t: ModelTask): void {
  release(t)
  Object.assign(t, { state: 'failed', fence: t.fence + 1, waits: false, delayed: false })
}

export function requeue(t: ModelTask): void {
  release(t)
  Object.assign(t, {
    state: 'queued',
    attempts: 0,
    waits: false,
    delayed: false,
    excluded: null,
    failedAt: null,
  })
}
