/** What a worker is in, and what a person may do with it. Pure. */
import type { WorkerView } from '#contracts/worker.contract.ts'
import type { Role } from '#domain/authority/caller.ts'
import { type Action, may } from '#domain/authority/matrix.ts'
import { CLOSED } from '#domain/task/breaker.rules.ts'

export const WORKER_COMMANDS = [
  ...(['drain', 'resume', 'release', 'correct', 'reset'] as const),
  ...(['restartAgent', 'updateAgent', 'uninstallAgent', 'remove'] as const),
] as const
export type WorkerCommand = (typeof WORKER_COMMANDS)[number]

export const isDrained = ({ drained_at }: Pick<WorkerView, 'drained_at'>): boolean => drained_at !== null

export const isBreakerClosed = ({ breaker }: Pick<WorkerView, 'breaker'>): boolean =>
  breaker.state === CLOSED.state && breaker.failures === 0

/** It has an address to which no key is sent, since anybody may have said it. */
export const isUntrusted = ({ url, callable }: Pick<WorkerView, 'url' | 'callable'>): boolean =>
  url !== null && !callable

/** What the agent on the node is asked to do with itself. */
const OF_AGENT: readonly WorkerCommand[] = ['restartAgent', 'updateAgent', 'uninstallAgent']
const DANGEROUS: readonly WorkerCommand[] = ['release', 'uninstallAgent', 'remove']
export const isDangerous = (command: WorkerCommand): boolean => DANGEROUS.includes(command)

/** Who may do it: operators run workers, the owner removes one, commands its agent and says where it is called. */
function actionOf(command: WorkerCommand): Action {
  if (command === 'remove') return 'worker.remove'
  return command === 'correct' || OF_AGENT.includes(command) ? 'worker.control' : 'worker.operate'
}

/** What is offered for a worker: it is drained or resumed, never both. */
export const commandsOf = (worker: WorkerView, role: Role): WorkerCommand[] =>
  WORKER_COMMANDS.filter((command) => {
    if (command === 'drain' && isDrained(worker)) return false
    if (command === 'resume' && !isDrained(worker)) return false
    return may(role, actionOf(command))
  })

/** Why an offered command would change nothing now; undefined where it would. */
export function uselessBecause(
  command: WorkerCommand,
  worker: WorkerView,
): 'nothingToRelease' | 'breakerClosed' | 'noAgentAddress' | 'notCalled' | undefined {
  if (OF_AGENT.includes(command) && !worker.callable)
    return isUntrusted(worker) ? 'notCalled' : 'noAgentAddress'
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
