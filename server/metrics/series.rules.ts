/**
 * Series from points: pure rules. A step that nobody recorded is null, never nought: while no worker ran, nothing is known of how things
 * stood. What a recorded step does not name stood at nought.
 */
import type { Track } from './points.query.ts'

export type Values = (number | null)[]

/** How often how things stood was recorded in each step, by a gauge that every sample has; null for steps that nobody recorded. */
export function samplesOf(length: number, tracks: readonly Track[]): Values {
  const values: Values = Array(length).fill(null)
  for (const { positions, counts } of tracks)
    positions.forEach((position, n) => {
      values[position] = (values[position] ?? 0) + (counts[n] ?? 0)
    })
  return values
}

/** Nought for each step in which something was recorded, null for the others. */
export const recordedSteps = (samples: Values): Values => samples.map((n) => (n === null ? null : 0))

/** What was counted in each step: the increase of a counter, or the observations of a histogram. */
export function countsOf(samples: Values, tracks: readonly Track[]): Values {
  const values = recordedSteps(samples)
  for (const { positions, counts } of tracks)
    positions.forEach((position, n) => {
      values[position] = (values[position] ?? 0) + (counts[n] ?? 0)
    })
  return values
}

/** The mean of a gauge in each step, label sets added together: over all samples of the step, since one that does not name it read nought. */
export function meansOf(samples: Values, tracks: readonly Track[]): Values {
  const values = recordedSteps(samples)
  for (const { positions, counts, sums } of tracks)
    positions.forEach((position, n) => {
      const readings = Math.max(1, samples[position] ?? counts[n] ?? 1)
      values[position] = (values[position] ?? 0) + (sums[n] ?? 0) / readings
    })
  return values
}

export type Bucket = { le: number; count: number }

/** The buckets of each step; those without observations are empty. */
export function bucketsOf(length: number, tracks: readonly Track[]): Bucket[][] {
  const steps: Bucket[][] = Array.from({ length }, () => [])
  for (const { le, positions, counts } of tracks)
    positions.forEach((position, n) => {
      steps[position]?.push({ le, count: counts[n] ?? 0 })
    })
  return steps
}

/**
 * The value below which this share of the observations lies, as `histogram_quantile` of Prometheus estimates it: evenly spread inside a
 * bucket, and the highest bound for those beyond it. Null without observations.
 */
export function quantile(
  share: number,
  buckets: readonly Bucket[],
  bounds: readonly number[],
): number | null {
  const total = buckets.reduce((all, { count }) => all + count, 0)
  if (total === 0) return null
  const rank = share * total
  let below = 0
  let lower = 0
  for (const bound of [...bounds, Number.POSITIVE_INFINITY]) {
    const count = buckets.reduce((all, bucket) => (bucket.le === bound ? all + bucket.count : all), 0)
    if (count > 0 && below + count >= rank) {
      if (bound === Number.POSITIVE_INFINITY) return lower
      return lower + ((bound - lower) * (rank - below)) / count
    }
    below += count
    if (bound !== Number.POSITIVE_INFINITY) lower = bound
  }
  return lower
}
