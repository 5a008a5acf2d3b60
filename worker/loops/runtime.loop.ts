/**
 * BLOOM Runtime [runtime#loops]: dispatches queued tasks to nodes that can be called, ends leases that ran out, tries again what may be tried again, cancels
 * what nobody waits for, notices workers that went silent, reads who is there from the control plane. Several workers do it side by side: each step is one guarded use-case.
 */
import { openCallTable } from '#server/runtime/call-table.ts'
import { cancelUnawaited } from '#server/runtime/cancel-unawaited.ts'
import { coolBreakers } from '#server/runtime/count-failure.ts'
import { dispatchNext } from '#server/runtime/dispatch-next.ts'
import type { DispatchParts } from '#server/runtime/dispatch-task.ts'
import { reapTaskLeases } from '#server/runtime/end-lease.ts'
import { markWorkersOffline } from '#server/runtime/register-worker.ts'
import { retryTasks } from '#server/runtime/retry-tasks.ts'
import { updateWorkers } from '#server/runtime/update-workers.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const DISPATCH_MS = 2_000
const RETRY_MS = 2_000
const REAP_MS = 15_000
const FLEET_MS = 15_000
/** Calls that are open at a time; each waits for as long as its task may take. */
const OPEN_CALLS = 256

/** Leases and dispatches. A node that is called is not waited for: the loop goes on, and a report ends the task by its own channel. */
export function taskDispatchLoop(
  parts: DispatchParts & Pick<Services, 'log'>,
): Loop & { after(): Promise<void> } {
  const calls = openCallTable(parts, OPEN_CALLS)
  return {
    name: 'task-dispatch',
    everyMs: DISPATCH_MS,
    on: ['tasks'],
    async tick() {
      return (await dispatchNext(parts, calls)) ? 'again' : 'idle'
    },
    after: calls.close,
  }
}

export const taskRetryLoop = (services: Pick<Services, 'db'>): Loop => ({
  name: 'task-retry',
  everyMs: RETRY_MS,
  async tick() {
    const [retried, cooled] = [await retryTasks(services), await coolBreakers(services)]
    return retried + cooled > 0 ? 'again' : 'idle'
  },
})

/** What a run asked for ends with it: at once by notification, else within 2 s. */
export const taskCancelLoop = (services: Pick<Services, 'db'>): Loop => ({
  name: 'task-cancel',
  everyMs: RETRY_MS,
  on: ['runs'],
  async tick() {
    return (await cancelUnawaited(services)) > 0 ? 'again' : 'idle'
  },
})

/** Every 15 s and at start, by the clock of the database [runtime#lease]. */
export const taskReaperLoop = (services: Pick<Services, 'db'>): Loop => ({
  name: 'task-reaper',
  everyMs: REAP_MS,
  async tick() {
    const [ended] = [await reapTaskLeases(services), await markWorkersOffline(services)]
    return ended > 0 ? 'again' : 'idle'
  },
})

/** What the control plane has of agents and nodes, every 15 s; a control plane that is away holds up nothing else. */
export const fleetLoop = (services: Pick<Services, 'db' | 'env'>): Loop => ({
  name: 'worker-fleet',
  everyMs: FLEET_MS,
  async tick() {
    await updateWorkers(services)
    return 'idle'
  },
})
