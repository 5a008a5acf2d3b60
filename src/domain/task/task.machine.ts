import { defineMachine, type EventOf, type StateOf } from '../kernel/machine.ts'

/** The LLM Task machine; each event is a row T1–T12 of [runtime#transitions]. A `failed` task with a time to try again is on its way; without one it has ended. */
export const taskMachine = defineMachine({
  name: 'llm_task',
  states: ['queued', 'leased', 'running', 'completed', 'failed', 'dead'],
  final: ['completed'],
  events: {
    create: { from: null, to: 'queued' },
    lease: { from: ['queued'], to: 'leased' },
    start: { from: ['leased'], to: 'running' },
    succeed: { from: ['leased', 'running'], to: 'completed' },
    fail: { from: ['leased', 'running'], to: 'failed' },
    retry: { from: ['failed'], to: 'queued' },
    bury: { from: ['failed'], to: 'dead' },
    expire: { from: ['leased', 'running'], to: 'queued' },
    expire_dead: { from: ['leased', 'running'], to: 'dead' },
    hand_back: { from: ['leased'], to: 'queued' },
    requeue: { from: ['failed', 'dead'], to: 'queued' },
    cancel: { from: ['queued', 'leased', 'running', 'failed'], to: 'failed' },
  },
})

export type TaskState = StateOf<typeof taskMachine>
export type TaskEvent = EventOf<typeof taskMachine>

/** The states in which a worker holds the task under a lease. */
export const LEASED_TASK_STATES = ['leased', 'running'] as const satisfies readonly TaskState[]
