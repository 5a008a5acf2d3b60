/**
 * How often pages read again what no event tells them, in milliseconds: while the event stream is away (`useLiveQueries`), and
 * for what changes without one.
 *
 * `live`: jobs, which move by the second. `moving`: runs and open reviews. `liveness`: whether machines are there, of which no event tells.
 * `slow`: lists that people change. `idle`: what ends by the clock.
 */
export const POLL_MS = { live: 2_000, moving: 5_000, liveness: 15_000, slow: 30_000, idle: 60_000 } as const
