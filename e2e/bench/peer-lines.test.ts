import { expect, test } from 'vitest'
import { peerFigures } from './peer-lines.ts'

const metric = (median: number) => ({ median, min: median, max: median, values: [median] })
const line = (row: string, more: object = {}) =>
  JSON.stringify({
    ...{ row, ok: true, faults: [] },
    metrics: {
      ...{ drain_per_s: metric(1500), enqueue_per_s: metric(3000) },
      ...{ start_p50_ms: metric(2.3), start_p99_ms: metric(9) },
    },
    ...more,
  })

const OUTPUT = [
  '> bench',
  '> node peers.mjs',
  JSON.stringify({ environment: { node: 'v24' }, settings: { N: 500 } }),
  line('floor'),
  line('floor6'),
  '',
  '| row | enqueue/s |',
  '12 s',
].join('\n')

test('the figures of each row, among what else is printed', () => {
  const figures = peerFigures(OUTPUT, ['floor', 'floor6'])
  expect([...figures.keys()]).toEqual(['floor', 'floor6'])
  expect(figures.get('floor6')).toEqual({ drain: 1500, enqueue: 3000, start50: 2.3, start99: 9 })
})

test('a row that is not there, or faulty, is no figure', () => {
  expect(() => peerFigures(OUTPUT, ['graphile'])).toThrow('graphile: no figures')
  const faulty = line('graphile', { ok: false, faults: ['jobs left is 3, not 0'] })
  expect(() => peerFigures(faulty, ['graphile'])).toThrow('graphile: jobs left is 3, not 0')
})
