/** What a task is in, beyond the state of its machine. Pure. */
import type { LeaseView, TaskView } from '#contracts/llm-task.contract.ts'
import { can } from '#domain/kernel/machine.ts'
import { TASK_ERROR_CODES, type TaskErrorCode } from '#domain/task/failure.rules.ts'
import { SILENT_AFTER_MS } from '#domain/task/lease-time.rules.ts'
import { LEASED_TASK_STATES, type TaskState, taskMachine } from '#domain/task/task.machine.ts'

export const TASK_ACTIONS = ['requeue', 'cancel'] as const
export type TaskAction = (typeof TASK_ACTIONS)[number]

type Ended = Pick<TaskView, 'status' | 'retry_at'>
const FAILED: TaskState = taskMachine.events.fail.to
const QUEUED: TaskState = taskMachine.events.create.to
const DEAD: TaskState = taskMachine.events.bury.to
const CANCELED: TaskErrorCode = 'canceled'

/** What a person may do with the task now: by the machine, and a failed one can be cancelled only while it is to be tried again. */
export const actionsOf = (task: Ended): TaskAction[] =>
  TASK_ACTIONS.filter(
    (action) => can(taskMachine, task.status, action) && (action !== 'cancel' || !isOver(task)),
  )

const isOver = ({ status, retry_at }: Ended): boolean => status === FAILED && retry_at === null

export const isDead = ({ status }: Pick<TaskView, 'status'>): boolean => status === DEAD
export const isQueued = ({ status }: Pick<TaskView, 'status'>): boolean => status === QUEUED
export const isRetrying = ({ status, retry_at }: Ended): boolean => status === FAILED && retry_at !== null
export const isCancelled = (task: Ended & Pick<TaskView, 'error_code'>): boolean =>
  isOver(task) && task.error_code === CANCELED
/** Whether its selection is of what the task is in now: one that waits anew may still have that of its last attempt. */
export const hasCurrentSelection = (task: Pick<TaskView, 'status' | 'selection' | 'updated_at'>): boolean =>
  task.selection !== null && (!isQueued(task) || task.selection.at >= task.updated_at)

/** Whether a worker holds it. */
export const isLeased = ({ status }: Pick<TaskView, 'status'>): boolean =>
  (LEASED_TASK_STATES as readonly TaskState[]).includes(status)

/** Whether a worker has not been heard for so long that it is shown as silent. */
export const isSilent = (
  { started_at, last_heartbeat }: Pick<LeaseView, 'started_at' | 'last_heartbeat'>,
  now: number,
): boolean => now - (last_heartbeat ?? started_at) > SILENT_AFTER_MS

/** The code where it is one that the console has a sentence for. */
export const knownCode = (code: string | null): TaskErrorCode | undefined =>
  TASK_ERROR_CODES.find((one) => one === code)

/** The name of the task's worker, as the selection knew it; null where it is not in there. */
export const workerNameOf = ({ selection, worker_id }: Pick<TaskView, 'selection' | 'worker_id'>) =>
  selection?.considered.find((one) => one.worker_id === worker_id)?.name ?? null
