import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stopRequests } from './stop-requests.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const HOUR_MS = 3_600_000

function room() {
  const codes: number[] = []
  const requests = stopRequests((code) => void codes.push(code))
  const state = () => ({ stopped: requests.stopped.aborted, givenUp: requests.tasks.givenUp.aborted, codes })
  return { ...requests, state }
}

test('a command that does not end is ended 30 s after it was asked, asked again or not', async () => {
  const { terminate, state } = room()
  terminate()
  await vi.advanceTimersByTimeAsync(29_000)
  terminate()
  expect(state()).toMatchObject({ stopped: true, codes: [] })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(state().codes).toEqual([130])
})

test('while a task runs nothing is ended by force, and only a second signal gives it up', async () => {
  const { stop, terminate, tasks, state } = room()
  const task = Promise.withResolvers<void>()
  tasks.hold(task.promise)
  terminate()
  // The same request by other ways.
  terminate()
  stop()
  await vi.advanceTimersByTimeAsync(HOUR_MS)
  expect(state()).toEqual({ stopped: true, givenUp: false, codes: [] })
  stop()
  expect(state().givenUp).toBe(false)
  terminate()
  expect(state()).toEqual({ stopped: true, givenUp: true, codes: [] })
  await vi.advanceTimersByTimeAsync(HOUR_MS)
  task.reject(new Error('failed'))
  await vi.advanceTimersByTimeAsync(29_000)
  expect(state().codes).toEqual([])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(state().codes).toEqual([130])
})

test('Ctrl-C twice ends a command without tasks at once', () => {
  const { interrupt, state } = room()
  interrupt()
  expect(state()).toMatchObject({ stopped: true, codes: [] })
  interrupt()
  expect(state().codes).toEqual([130])
})

test('Ctrl-C, each heard twice, stops, gives up what runs, and does not wait for its report', async () => {
  const { interrupt, tasks, state } = room()
  tasks.hold(new Promise(() => {}))
  const press = async () => {
    interrupt()
    interrupt()
    await vi.advanceTimersByTimeAsync(1_000)
    return structuredClone(state())
  }
  expect(await press()).toEqual({ stopped: true, givenUp: false, codes: [] })
  expect(await press()).toEqual({ stopped: true, givenUp: true, codes: [] })
  expect(await press()).toEqual({ stopped: true, givenUp: true, codes: [130] })
})
