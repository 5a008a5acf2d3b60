import type { HeartbeatAnswer } from '#contracts/membridge.contract.ts'

/** What the leases say of a project's nodes. No lease is read yet, and without one nobody is told to be primary. */
export const NO_LEASE = {
  role: 'unknown',
  lease_state: 'absent',
  epoch: null,
  term: null,
} as const satisfies Omit<HeartbeatAnswer, 'ok' | 'canonical_id'>
