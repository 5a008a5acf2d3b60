import { describe, expect, test } from 'vitest'
import { p95, phasesOf, type RunTimes, type StepTimes } from './phases.rules.ts'

const at = (ms: number) => new Date(1_700_000_000_000 + ms)
const run = (over: Partial<RunTimes>): RunTimes => ({
  status: 'requested',
  requestedAt: at(0),
  queuedAt: null,
  startedAt: null,
  finishedAt: null,
  waiting: false,
  ...over,
})
const step = (n: number, from: number, to: number | null, status: StepTimes['status']): StepTimes => ({
  step: n,
  status,
  startedAt: at(from),
  finishedAt: to === null ? null : at(to),
})
const states = (r: RunTimes, steps: StepTimes[] = []) => phasesOf(r, steps).map((p) => p.state)

describe('phasesOf', () => {
  test('a run that was only asked for', () => {
    expect(states(run({}))).toEqual([
      'running',
      'pending',
      'pending',
      'pending',
      'pending',
      'pending',
      'pending',
    ])
  })
  test('queued: the second phase waits', () => {
    expect(states(run({ status: 'queued', queuedAt: at(5) }))[1]).toBe('waiting')
  })
  test('waiting inside step 02 is not work', () => {
    const r = run({ status: 'running', queuedAt: at(5), startedAt: at(9), waiting: true })
    expect(states(r, [step(1, 9, 20, 'completed'), step(2, 21, null, 'running')])).toEqual([
      'done',
      'done',
      'done',
      'waiting',
      'pending',
      'pending',
      'pending',
    ])
  })
  test('completed: every phase has its place on the axis', () => {
    const steps = [1, 2, 3, 4].map((n) => step(n, n * 10, n * 10 + 8, 'completed'))
    const r = run({ status: 'completed', queuedAt: at(2), startedAt: at(6), finishedAt: at(50) })
    const rows = phasesOf(r, steps)
    expect(rows.map((p) => p.state)).toEqual(Array(7).fill('done'))
    expect(rows.map((p) => [p.startMs, p.ms])).toEqual([
      [0, 2],
      [2, 4],
      [10, 8],
      [20, 8],
      [30, 8],
      [40, 8],
      [50, 0],
    ])
  })
  test('failed and cancelled: what was under way ended so, the rest was never reached, and that was told', () => {
    const failed = run({ status: 'failed', queuedAt: at(1), startedAt: at(2), finishedAt: at(9) })
    expect(states(failed, [step(1, 2, 8, 'failed')]).slice(2)).toEqual([
      'failed',
      'skipped',
      'skipped',
      'skipped',
      'done',
    ])
    const cancelled = run({ status: 'cancelled', queuedAt: at(1), finishedAt: at(4) })
    expect(states(cancelled)).toEqual([
      'done',
      'cancelled',
      'skipped',
      'skipped',
      'skipped',
      'skipped',
      'done',
    ])
  })
})

test('p95 is hidden below five and is the nearest rank above', () => {
  expect(p95([1, 2, 3, 4])).toBeNull()
  expect(p95([5, 1, 3, 2, 4])).toBe(5)
  expect(p95(Array.from({ length: 50 }, (_, i) => i + 1))).toBe(48)
})
