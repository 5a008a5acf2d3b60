import { expect, it } from 'vitest'
import { taskListInput } from '#contracts/llm-task.contract.ts'
import { taskMachine } from '#domain/task/task.machine.ts'
import { tasksInput } from './input.ts'
import { actionsOf, hasCurrentSelection, isCancelled, isSilent } from './task-state.ts'
import { nobody } from './testing/tasks.ts'

const RETRY_AT = 1_000

it.each([
  { status: 'queued', retry_at: null, actions: ['cancel'] },
  { status: 'leased', retry_at: null, actions: ['cancel'] },
  { status: 'running', retry_at: null, actions: ['cancel'] },
  { status: 'completed', retry_at: null, actions: [] },
  { status: 'failed', retry_at: null, actions: ['requeue'] },
  { status: 'failed', retry_at: RETRY_AT, actions: ['requeue', 'cancel'] },
  { status: 'dead', retry_at: null, actions: ['requeue'] },
] as const)(
  'a task that is $status, to be tried again $retry_at, can be: $actions',
  ({ actions, ...task }) => {
    expect(actionsOf(task)).toEqual(actions)
  },
)

it('knows a cancelled task, and a silent worker', () => {
  expect(isCancelled({ status: 'failed', retry_at: null, error_code: 'canceled' })).toBe(true)
  expect(isCancelled({ status: 'failed', retry_at: null, error_code: 'timeout' })).toBe(false)
  expect(isCancelled({ status: 'queued', retry_at: null, error_code: 'canceled' })).toBe(false)
  expect(isSilent({ started_at: 0, last_heartbeat: null }, 30_001)).toBe(true)
  expect(isSilent({ started_at: 0, last_heartbeat: 10_000 }, 30_001)).toBe(false)
})

const WORKER = '5f0c2a1e-8d4b-4c9a-9f6e-0a1b2c3d4e5f'

it.each([
  { address: {}, filter: {} },
  ...taskMachine.states.map((status) => ({ address: { status }, filter: { status } })),
  { address: { agent: 'scout', worker: WORKER }, filter: { agent: 'scout', worker_id: WORKER } },
  { address: { status: 'PENDING', agent: 'No Slug', worker: 'orange', run: 'x' }, filter: {} },
])('the filter of $address', ({ address, filter }) => {
  expect(tasksInput(address)).toEqual(filter)
  expect(taskListInput.safeParse(tasksInput(address)).success).toBe(true)
})

it('knows a selection of the last attempt from one of now', () => {
  const selection = { ...nobody(), at: 1_000 }
  expect(hasCurrentSelection({ status: 'queued', selection, updated_at: 1_000 })).toBe(true)
  expect(hasCurrentSelection({ status: 'queued', selection, updated_at: 1_001 })).toBe(false)
  expect(hasCurrentSelection({ status: 'dead', selection, updated_at: 1_001 })).toBe(true)
  expect(hasCurrentSelection({ status: 'queued', selection: null, updated_at: 0 })).toBe(false)
})
