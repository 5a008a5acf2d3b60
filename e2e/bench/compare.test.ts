import { expect, test } from 'vitest'
import { compareRows, comparisonText } from './compare.ts'
import { type Aim, collectFigures, type Row } from './figures.ts'

function rowOf(values: number[], unit: string, aim?: Aim): Row[] {
  const figures = collectFigures(() => {})
  for (const value of values) figures.of('queue').add('figure', value, { unit, aim })
  return figures.rows()
}

const judge = (before: Row[], after: Row[]) => {
  const [{ percent, verdict } = { percent: null, verdict: null }] = compareRows(before, after)
  return { percent, verdict }
}

test.each([
  { unit: 'ms', from: [10], to: [5], percent: -50, verdict: 'better' },
  { unit: 'ms', from: [10], to: [11], percent: 10, verdict: 'worse' },
  { unit: 'jobs/s', from: [100], to: [150], percent: 50, verdict: 'better' },
  { unit: '×', from: [1], to: [0.9], percent: -10, verdict: 'worse' },
  { unit: 'MB', from: [5], to: [5], percent: 0, verdict: 'same' },
  { unit: 'ms', from: [0], to: [5], percent: null, verdict: 'worse' },
  { unit: 'ms', from: [8, 10, 14], to: [9, 12, 13], percent: 20, verdict: 'within the spread' },
  { unit: 'ms', from: [9, 10, 11], to: [12, 13, 14], percent: 30, verdict: 'worse' },
])('$from → $to $unit is $verdict', ({ unit, from, to, percent, verdict }) => {
  expect(judge(rowOf(from, unit), rowOf(to, unit))).toEqual({ percent, verdict })
})

test('an aim says which way is better, whatever the unit', () => {
  const least = { least: 3 }
  expect(judge(rowOf([10], '', least), rowOf([20], '', least)).verdict).toBe('better')
})

test('what only one of the runs has is told', () => {
  expect(judge(rowOf([1], 'ms'), []).verdict).toBe('only before')
  expect(judge([], rowOf([1], 'ms')).verdict).toBe('only after')
})

test('two runs are one table', () => {
  const machine = { cores: 2, processor: 'p', memory_gb: 8, node: '24', postgresql: '18', kernel: '6' }
  const load = { before: [0.5], after: [1.5] }
  const run = (commit: string, rows: Row[]) => ({ date: 'today', commit, machine, load, rows })
  expect(comparisonText(run('aaa', rowOf([10], 'ms')), run('bbb', rowOf([5], 'ms')))).toEqual([
    'before: today, aaa, load 0.5–1.5',
    'after:  today, bbb, load 0.5–1.5',
    '',
    '| figure        | before | after | change |        |',
    '| ------------- | ------ | ----- | ------ | ------ |',
    '| queue: figure | 10 ms  | 5 ms  | -50 %  | better |',
  ])
})
