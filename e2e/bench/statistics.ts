/** What is made of a list of measurements. Of an empty list everything is NaN, which no figure takes. */

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b)

/** The value that this share of all does not exceed: one that was measured, by its rank. */
export const percentile = (values: readonly number[], share: number): number =>
  sorted(values)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? Number.NaN

/** The middle one, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const all = sorted(values)
  const half = all.length >> 1
  const [low, high] = [all[all.length % 2 ? half : half - 1], all[half]]
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2
}

export const mean = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0) / values.length

export type Spread = { median: number; min: number; max: number }

export const spreadOf = (values: readonly number[]): Spread => ({
  median: median(values),
  min: percentile(values, 0),
  max: percentile(values, 1),
})

/** Three digits, as many as a figure of a shared machine is worth; whole above a thousand. */
export function rounded(value: number): number {
  if (!Number.isFinite(value) || Math.abs(value) >= 1_000) return Math.round(value)
  return Number(value.toPrecision(3))
}

export type Span = { from: number; to: number }

/**
 * How a wait was spent: each moment counts for the first kind of span that covers it, in the order given, and what none covers for `rest`.
 * The parts add up to the wait.
 */
export function splitWait(
  wait: Span,
  kinds: Record<string, readonly Span[]>,
  rest: string,
): Record<string, number> {
  const parts: Record<string, number> = {}
  let free: Span[] = [wait]
  const lengthOf = (spans: readonly Span[]) => spans.reduce((sum, { from, to }) => sum + to - from, 0)
  for (const [kind, spans] of Object.entries(kinds)) {
    const before = lengthOf(free)
    for (const span of spans) free = free.flatMap((one) => without(one, span))
    parts[kind] = before - lengthOf(free)
  }
  return { ...parts, [rest]: lengthOf(free) }
}

function without(one: Span, taken: Span): Span[] {
  const left = { from: one.from, to: Math.min(one.to, taken.from) }
  const right = { from: Math.max(one.from, taken.to), to: one.to }
  if (taken.to <= one.from || taken.from >= one.to) return [one]
  return [left, right].filter(({ from, to }) => to > from)
}
