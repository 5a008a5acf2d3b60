import { describe, expect, it } from 'vitest'
import type { Track } from './points.query.ts'
import { bucketsOf, countsOf, meansOf, quantile, recordedSteps, samplesOf } from './series.rules.ts'

const track = (more: Partial<Track>): Track => ({
  ...{ name: 'job_queue_depth', labels: {}, le: Number.POSITIVE_INFINITY },
  ...{ positions: [], counts: [], sums: [], ...more },
})
const SAMPLES = samplesOf(4, [track({ positions: [1, 3], counts: [1, 15], sums: [0, 0] })])

describe('a series', () => {
  it('is null where nothing was recorded and nought where nothing happened', () => {
    expect(recordedSteps(SAMPLES)).toEqual([null, 0, null, 0])
    expect(countsOf(SAMPLES, [])).toEqual([null, 0, null, 0])
  })

  it('adds label sets, also in a step of which no gauge was read', () => {
    const tracks = [
      track({ positions: [1, 2], counts: [2, 5], sums: [2, 5] }),
      track({ positions: [1], counts: [3], sums: [3] }),
    ]
    expect(countsOf(SAMPLES, tracks)).toEqual([null, 5, 5, 0])
  })

  it('has the mean of the readings of a gauge', () => {
    const tracks = [
      track({ positions: [3], counts: [15], sums: [30] }),
      track({ positions: [3], counts: [15], sums: [45] }),
    ]
    expect(meansOf(SAMPLES, tracks)).toEqual([null, 0, null, 5])
    const forOneMinute = track({ positions: [3], counts: [1], sums: [1_000] })
    expect(meansOf(SAMPLES, [forOneMinute])).toEqual([null, 0, null, 1_000 / 15])
  })

  it('keeps the buckets of steps apart', () => {
    const tracks = [
      track({ le: 1, positions: [0, 3], counts: [2, 1] }),
      track({ le: 5, positions: [3], counts: [4] }),
    ]
    expect(bucketsOf(4, tracks)).toEqual([
      [{ le: 1, count: 2 }],
      [],
      [],
      [
        { le: 1, count: 1 },
        { le: 5, count: 4 },
      ],
    ])
  })
})

describe('a percentile', () => {
  const BOUNDS = [1, 2, 10]
  const INFINITY = Number.POSITIVE_INFINITY
  it.each<[string, number, [number, number][], number | null]>([
    ['of nothing', 0.5, [], null],
    ['in the first bucket', 0.5, [[1, 10]], 0.5],
    ['at the bound of a bucket', 1, [[1, 10]], 1],
    ['behind an empty bucket', 0.5, [[10, 4]], 6],
    [
      'where the share changes the bucket',
      0.5,
      [
        [1, 5],
        [10, 5],
      ],
      1,
    ],
    [
      'beyond it',
      0.9,
      [
        [1, 5],
        [10, 5],
      ],
      8.4,
    ],
    [
      'of what no bound holds',
      0.99,
      [
        [1, 1],
        [INFINITY, 99],
      ],
      10,
    ],
  ])('%s', (_, share, buckets, value) => {
    const found = quantile(
      share,
      buckets.map(([le, count]) => ({ le, count })),
      BOUNDS,
    )
    if (value === null) expect(found).toBeNull()
    else expect(found).toBeCloseTo(value, 9)
  })
})
