import { expect, test } from 'vitest'
import { collectFigures, report } from './figures.ts'
import { reportText } from './table.ts'

const machine = {
  ...{ cores: 2, processor: 'a processor', memory_gb: 8 },
  ...{ node: '24.1.0', postgresql: 'PostgreSQL 18', kernel: '6.1' },
}
const about = { date: '2026-01-02', commit: 'abc', machine, load: { before: [0.1], after: [1.2] } }

function collected() {
  const said: string[] = []
  const figures = collectFigures((line) => said.push(line))
  const queue = figures.of('queue')
  for (const [ms, commit] of [
    [4, 1],
    [3, 2],
    [9, 9],
  ] as const)
    queue.add('start, p50', ms, {
      ...{ unit: 'ms', aim: { most: 4 } },
      breakdown: { unit: 'ms', parts: { commit, claim: 0.5 } },
    })
  queue.add('drain', 512.345, { unit: 'jobs/s', aim: { least: 600 } })
  figures.of('memory').add('web', 250, { unit: 'MB' })
  return { said, figures }
}

test('what is added under one name is one row, with its spread and the median of its parts', () => {
  const [start, drain] = collected().figures.rows()
  expect(start).toEqual({
    ...{ programme: 'queue', figure: 'start, p50', unit: 'ms', aim: { most: 4 } },
    ...{ value: { median: 4, min: 3, max: 9 }, values: [4, 3, 9] },
    breakdown: { unit: 'ms', parts: { commit: 2, claim: 0.5 } },
  })
  expect(drain).toMatchObject({ value: { median: 512, min: 512, max: 512 } })
})

test('a figure without a value is told and left out', () => {
  const { said, figures } = collected()
  figures.of('lists').add('head', Number.NaN, { unit: 'ms' })
  expect(said.at(-1)).toBe('lists: head: nothing was measured')
  expect(figures.rows().map(({ programme }) => programme)).toEqual(['queue', 'queue', 'memory'])
})

test('a report reads back as it was written', () => {
  const whole = { ...about, rows: collected().figures.rows() }
  expect(report.parse(JSON.parse(JSON.stringify(whole)))).toEqual(whole)
})

test('the table has a line a figure, whether the aim is met, and the parts below', () => {
  expect(reportText({ ...about, rows: collected().figures.rows() })).toEqual([
    '2026-01-02, abc; 2 × a processor, 8 GB, Node 24.1.0, PostgreSQL 18, Linux 6.1',
    'load before 0.1, after 1.2',
    '',
    '| queue      | median (min–max) | aim   | met |',
    '| ---------- | ---------------- | ----- | --- |',
    '| start, p50 | 4 (3–9) ms       | ≤ 4   | yes |',
    '| drain      | 512 jobs/s       | ≥ 600 | no  |',
    '  start, p50: commit 2 · claim 0.5 ms',
    '',
    '| memory | median (min–max) | aim | met |',
    '| ------ | ---------------- | --- | --- |',
    '| web    | 250 MB           |     |     |',
  ])
})
