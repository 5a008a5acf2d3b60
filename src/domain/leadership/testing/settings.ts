/** The times of a simulated fleet, in seconds: short, so that a round holds many lives of a lease. */
export const LEASE_SECONDS = 30
export const LOCK = { ttlSeconds: 18, graceSeconds: 3 }
export const ROUND_SECONDS = 160
export const SCAN_SECONDS = 15
export const CANONICAL_ID = 'aeeafec3a5b5710f'

/** How often things go wrong. */
export const FAULTS = {
  unavailable: 0.05,
  ambiguous: 0.05,
  pause: 0.04,
  killEvery: 200,
}
