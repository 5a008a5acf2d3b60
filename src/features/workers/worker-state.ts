/** What a worker is in, and what a person may do with it. Pure. */
import type { WorkerView } from '#contracts/worker.contract.ts'
import { CLOSED } from '#domain/task/breaker.rules.ts'

export const WORKER_COMMANDS = ['drain', 'resume', 'release', 'correct', 'reset', 'remove'] as const
export type WorkerCommand = (typeof WORKER_COMMANDS)[number]

export const isDrained = ({ drained_at }: Pick<WorkerView, 'drained_at'>): boolean => drained_at !== null

export const isBreakerClosed = ({ breaker }: Pick<WorkerView, 'breaker'>): boolean =>
  breaker.state === CLOSED.state && breaker.failures === 0

/** What is offered for a worker: only the owner removes one, and it is drained or resumed, never both. */
export const commandsOf = (worker: WorkerView, mayRemove: boolean): WorkerCommand[] =>
  WORKER_COMMANDS.filter((command) => {
    if (command === 'drain') return !isDrained(worker)
    if (command === 'resume') return isDrained(worker)
    return command !== 'remove' || mayRemove
  })

/** Why an offered command would change nothing now; undefined where it would. */
export function uselessBecause(
  command: WorkerCommand,
  worker: WorkerView,
): 'nothingToRelease' | 'breakerClosed' | undefined {
  if (command === 'release' && worker.active_leases === 0) return 'nothingToRelease'
  return command === 'reset' && isBreakerClosed(worker) ? 'breakerClosed' : undefined
}

/** How many workers are there and how much they have to do. */
export function summaryOf(workers: readonly WorkerView[]): {
  online: number
  offline: number
  active: number
} {
  const online = workers.filter(({ status }) => status === 'online').length
  const active = workers.reduce((sum, worker) => sum + worker.active_leases, 0)
  return { online, offline: workers.length - online, active }
}
