/** The circuit breaker of one worker [runtime#breaker]. Pure: the row as it stands and the time in, the row as it becomes out. Times are epoch milliseconds. */
export const BREAKER_STATES = ['closed', 'open', 'half_open'] as const
export type BreakerState = (typeof BREAKER_STATES)[number]

export type Breaker = {
  state: BreakerState
  /** Counted failures in a row. */
  failures: number
  /** How long the present or the last opening lasts, in seconds. */
  cooldownSeconds: number
  openUntil: number | null
  /** When it opened within the last hour. */
  openedAt: readonly number[]
}

export const OPENS_AFTER = 3
export const COOLDOWN_SECONDS = { first: 60, most: 300 } as const
export const INCIDENT_OPENINGS = 3
const HOUR_MS = 3_600_000

export const CLOSED: Breaker = {
  state: 'closed',
  failures: 0,
  cooldownSeconds: COOLDOWN_SECONDS.first,
  openUntil: null,
  openedAt: [],
}

/** An open one whose time is over lets one task through. */
export const cooled = (breaker: Breaker, now: number): Breaker =>
  breaker.state === 'open' && (breaker.openUntil ?? 0) <= now
    ? { ...breaker, state: 'half_open', openUntil: null }
    : breaker

/** After a failure that counts. */
export function afterCounted(breaker: Breaker, now: number): Breaker {
  const failures = breaker.failures + 1
  if (breaker.state === 'half_open')
    return opened(breaker, failures, Math.min(breaker.cooldownSeconds * 2, COOLDOWN_SECONDS.most), now)
  if (breaker.state === 'open' || failures < OPENS_AFTER) return { ...breaker, failures }
  return opened(breaker, failures, COOLDOWN_SECONDS.first, now)
}

/** After an answer: what came before no longer counts, but the openings of the last hour do. */
export const afterAnswer = (breaker: Breaker): Breaker => ({ ...CLOSED, openedAt: breaker.openedAt })

/** Whether it opened so often within an hour that a person has to know. */
export const isIncident = (breaker: Breaker): boolean => breaker.openedAt.length >= INCIDENT_OPENINGS

function opened(breaker: Breaker, failures: number, cooldownSeconds: number, now: number): Breaker {
  const recent = breaker.openedAt.filter((at) => now - at < HOUR_MS)
  return {
    state: 'open',
    failures,
    cooldownSeconds,
    openUntil: now + cooldownSeconds * 1_000,
    openedAt: [...recent, now],
  }
}
