/** The arithmetic of the time axis: instants in ms, positions in percent. Pure. */
export type Bar = {
  /** `wait` and `retry` are drawn apart from work. */
  kind: 'work' | 'done' | 'failed' | 'wait' | 'retry'
  from: number
  /** Null while it is running. */
  to: number | null
}
export type Phase = { id: string; bars: readonly Bar[] }

export type Scale = {
  total: number
  x: (at: number) => string
  width: (from: number, to: number) => string
  /** How long a phase was at work and how long it waited: overlapping bars count once, and waiting is no work. */
  spent: (phase: Phase, now: number) => { work: number; wait: number }
}

/** No bar is thinner than this, so that what was fast is still seen. */
const LEAST_PERCENT = 0.6

/** One axis from the first instant to the last (or to now, while something is running). */
export function scaleOf(phases: readonly Phase[], now: number): Scale {
  const bars = phases.flatMap((p) => p.bars)
  const first = Math.min(...bars.map((b) => b.from))
  const last = Math.max(...bars.map((b) => b.to ?? Math.max(now, b.from)))
  const begin = bars.length ? first : 0
  const total = Math.max(1, bars.length ? last - first : 1)
  const percent = (ms: number) => Math.min(100, Math.max(0, (ms / total) * 100))
  return {
    total,
    x: (at) => `${Math.min(percent(at - begin), 100 - LEAST_PERCENT)}%`,
    width: (from, to) => `${Math.max(percent(to - from), LEAST_PERCENT)}%`,
    spent: ({ bars: own }, at) => {
      const wait = covered(
        own.filter((b) => b.kind === 'wait'),
        at,
      )
      return { work: covered(own, at) - wait, wait }
    },
  }
}

/** The length of what these bars cover together. */
function covered(bars: readonly Bar[], now: number): number {
  let [sum, end] = [0, Number.NEGATIVE_INFINITY]
  for (const { from, to } of [...bars].sort((a, b) => a.from - b.from)) {
    const until = to ?? Math.max(now, from)
    sum += Math.max(0, until - Math.max(from, end))
    end = Math.max(end, until)
  }
  return sum
}
