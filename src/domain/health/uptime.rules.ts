/**
 * What the recorded spans of a component say of a window of time, pure: buckets for a picture, and how much of the time that was watched it was
 * well. Where nobody watched nothing is known, and that is not counted as well or ill.
 */
export const BUCKET_STATES = ['ok', 'degraded', 'down', 'unknown'] as const
export type BucketState = (typeof BUCKET_STATES)[number]
type Known = Exclude<BucketState, 'unknown'>

/** From `since` up to `until`, in ms. Spans of a component do not overlap. */
export type Span = { state: Known; since: number; until: number }
export type Frame = { from: number; to: number; buckets: number }

const inside = (span: Span, from: number, to: number): number =>
  Math.max(0, Math.min(span.until, to) - Math.max(span.since, from))

const timeIn = (spans: readonly Span[], state: Known, from: number, to: number): number =>
  spans.reduce((sum, span) => (span.state === state ? sum + inside(span, from, to) : sum), 0)

/** The worst that was seen in each bucket; unknown where most of it was not watched and nothing was wrong. */
export function bucketStates(spans: readonly Span[], { from, to, buckets }: Frame): BucketState[] {
  const length = (to - from) / buckets
  return Array.from({ length: buckets }, (_, n) => {
    const [start, end] = [from + n * length, from + (n + 1) * length]
    if (timeIn(spans, 'down', start, end) > 0) return 'down'
    if (timeIn(spans, 'degraded', start, end) > 0) return 'degraded'
    return timeIn(spans, 'ok', start, end) * 2 >= length ? 'ok' : 'unknown'
  })
}

/** The time in each state of the window, in ms. */
export function timesOf(spans: readonly Span[], { from, to }: Frame): Record<BucketState, number> {
  const of = (state: Known) => timeIn(spans, state, from, to)
  const known = { ok: of('ok'), degraded: of('degraded'), down: of('down') }
  return { ...known, unknown: Math.max(0, to - from - known.ok - known.degraded - known.down) }
}

/** Which part of the watched time it was well, 0 to 1; null where nobody watched. Degraded is not down: it worked. */
export function uptimeOf({ ok, degraded, down }: Record<BucketState, number>): number | null {
  const watched = ok + degraded + down
  return watched === 0 ? null : (ok + degraded) / watched
}
