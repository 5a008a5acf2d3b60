import { describe, expect, it } from 'vitest'
import { type Phase, scaleOf } from './phase-scale.ts'
import { stabilize } from './stable-rows.ts'
import { neighbour } from './use-row-keys.ts'

type Row = { id: string; v?: number }
const rows = (...ids: string[]): Row[] => ids.map((id) => ({ id }))
type More = { kept?: Row[]; complete?: boolean; departed?: string[] }
const stable = (onScreen: string[], incoming: Row[], { kept, complete = true, departed = [] }: More = {}) => {
  const found = stabilize(onScreen, incoming, {
    idOf: (r) => r.id,
    complete,
    departed: new Set(departed),
    kept: (id) => (kept ?? rows(...onScreen)).find((r) => r.id === id),
  })
  return { ids: found.rows.map((r) => r.id), newCount: found.newCount, removed: [...found.removed] }
}
const NONE = { newCount: 0, removed: [] }

describe('a stable list', () => {
  it('lets new rows at the top wait', () => {
    expect(stable(['b', 'c'], rows('n1', 'n2', 'b', 'c'))).toEqual({ ...NONE, ids: ['b', 'c'], newCount: 2 })
  })
  it('lets new rows in the middle wait as well', () => {
    expect(stable(['a', 'c'], rows('a', 'n', 'c'))).toEqual({ ...NONE, ids: ['a', 'c'], newCount: 1 })
  })
  it('appends the next page', () => {
    expect(stable(['a', 'b'], rows('a', 'b', 'c', 'd'))).toEqual({ ...NONE, ids: ['a', 'b', 'c', 'd'] })
  })
  it('keeps a row that left, and its order when others moved', () => {
    expect(stable(['a', 'b', 'c'], rows('c', 'a'))).toEqual({
      ids: ['a', 'b', 'c'],
      newCount: 0,
      removed: ['b'],
    })
  })
  it('reports a row that is missing at the end of the whole list as removed', () => {
    expect(stable(['a', 'b'], rows('a')).removed).toEqual(['b'])
  })
  it('does not take a row for removed that new ones may have pushed to the next page', () => {
    expect(stable(['a', 'b', 'c'], rows('n', 'a', 'b'), { complete: false })).toEqual({
      ids: ['a', 'b', 'c'],
      newCount: 1,
      removed: [],
    })
  })
  it('renews known rows in place', () => {
    const { rows: shown } = stabilize(['a'], [{ id: 'a', v: 2 }], {
      idOf: (r: Row) => r.id,
      complete: true,
      departed: new Set(),
      kept: () => ({ id: 'a', v: 1 }),
    })
    expect(shown).toEqual([{ id: 'a', v: 2 }])
  })
  it('announces a list that changed altogether', () => {
    expect(stable(['a', 'b'], rows('x', 'y', 'z'))).toEqual({
      ids: ['a', 'b'],
      newCount: 3,
      removed: ['a', 'b'],
    })
  })
  it('appends what follows, and does not call it new, when all on screen are known to have left', () => {
    const departed = ['a', 'b']
    expect(stable(['a', 'b'], rows('c', 'd'), { complete: false, departed })).toEqual({
      ids: ['a', 'b', 'c', 'd'],
      newCount: 0,
      removed: ['a', 'b'],
    })
  })
  it('shows the first rows at once', () => {
    expect(stable([], rows('a', 'b'))).toEqual({ ...NONE, ids: ['a', 'b'] })
  })
})

describe('the row beside', () => {
  it.each([
    [null, 1, 'a'],
    [null, -1, 'c'],
    ['a', 1, 'b'],
    ['c', 1, 'c'],
    ['a', -1, 'a'],
    ['gone', 1, 'a'],
  ] as const)('from %s by %d is %s', (from, step, expected) => {
    expect(neighbour(['a', 'b', 'c'], from, step)).toBe(expected)
  })
  it('is none in an empty list', () => {
    expect(neighbour([], null, 1)).toBeUndefined()
  })
})

describe('the time axis', () => {
  const phases = [
    { id: '1', bars: [{ kind: 'done', from: 1_000, to: 2_000 }] },
    { id: '2', bars: [{ kind: 'work', from: 3_000, to: null }] },
    { id: '3', bars: [] },
  ] as const
  it('begins with the first bar and ends now while something goes on', () => {
    const scale = scaleOf(phases, 5_000)
    expect([
      scale.total,
      scale.x(1_000),
      scale.width(1_000, 2_000),
      scale.x(3_000),
      scale.width(3_000, 5_000),
    ]).toEqual([4_000, '0%', '25%', '50%', '50%'])
    expect(scale.spent(phases[1], 5_000)).toEqual({ work: 2_000, wait: 0 })
  })
  it('counts what overlaps once and keeps waiting apart, so that no phase is longer than its run', () => {
    const phase: Phase = {
      id: 'execute-agent',
      bars: [
        { kind: 'failed', from: 1_000, to: 10_000 },
        { kind: 'retry', from: 1_000, to: 3_000 },
        { kind: 'wait', from: 2_000, to: 6_000 },
        { kind: 'wait', from: 5_000, to: 9_000 },
      ],
    }
    expect(scaleOf([phase], 20_000).spent(phase, 20_000)).toEqual({ work: 2_000, wait: 7_000 })
    expect(scaleOf([phase], 20_000).total).toBe(9_000)
  })
  it('gives a phase that only waited no time at work', () => {
    const queue: Phase = { id: 'enqueue', bars: [{ kind: 'wait', from: 0, to: null }] }
    expect(scaleOf([queue], 400).spent(queue, 400)).toEqual({ work: 0, wait: 400 })
  })
  it('draws what took no time, and nothing outside the axis', () => {
    const scale = scaleOf(phases, 5_000)
    expect(scale.width(1_000, 1_000)).toBe('0.6%')
    expect(scale.x(9_000)).toBe('99.4%')
  })
  it('stands a run without a bar and a clock behind', () => {
    expect(scaleOf([], 0).total).toBe(1)
    expect(scaleOf(phases, 0).total).toBe(2_000)
  })
})
