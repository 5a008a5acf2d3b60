/**
 * When the next round of heartbeats begins [edge#heartbeats]: after the interval, or later the more rounds in a row have failed, at most 60 s; then
 * spread by a fifth to either side, so that the nodes of a fleet do not come back to a restarted control plane all at once.
 */
const MAX_SECONDS = 60
const MAX_DOUBLINGS = 3
const SPREAD = 0.2

type Round = {
  intervalSeconds: number
  /** Failed rounds in a row, this one included. */
  failed: number
  /** Between 0 and 1. */
  random: number
}

/** Seconds until the next round. */
export function beatDelay({ intervalSeconds, failed, random }: Round): number {
  if (failed === 0) return intervalSeconds
  const delay = Math.min(MAX_SECONDS, intervalSeconds * 2 ** Math.min(failed - 1, MAX_DOUBLINGS))
  return delay * (1 - SPREAD + 2 * SPREAD * random)
}
