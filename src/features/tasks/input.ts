import type { TaskListInput } from '#contracts/llm-task.contract.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { type TaskState, taskMachine } from '#domain/task/task.machine.ts'

export const TASK_FILTERS = ['status', 'agent', 'worker', 'run'] as const

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const matching = (pattern: RegExp, text: string | null | undefined) =>
  text && pattern.test(text) ? text : undefined

/** The filter from the URL; the server and the browser build it alike. What does not fit is left out. */
export function tasksInput(
  values: Readonly<Record<string, string | null | undefined>>,
): Partial<TaskListInput> {
  const filter = {
    status: taskMachine.states.find((state: TaskState) => state === values.status),
    agent: matching(PATTERNS.slug, values.agent),
    worker_id: matching(UUID, values.worker),
    run_id: matching(PATTERNS.run, values.run),
  }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
}

/** Whether a task can have this id at all. */
export const isTaskId = (id: string): boolean => UUID.test(id)

export const taskHref = (taskId: string): string => `/tasks/${taskId}`
export const workerHref = (workerId: string): string => `/workers/${workerId}`
