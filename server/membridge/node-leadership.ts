import type { HeartbeatAnswer } from '#contracts/membridge.contract.ts'

/** What the leases say of a project's nodes. None is read yet, so it is not known whether there is one, and unknown is not primary. */
export const NO_LEASE = {
  role: 'unknown',
  lease_state: 'unreadable',
  epoch: null,
  term: null,
} as const satisfies Omit<HeartbeatAnswer, 'ok' | 'canonical_id'>
