import type { LeadershipView, LeaseView } from '#contracts/leadership.contract.ts'
import { fieldOf } from '#domain/leadership/json-fields.ts'
import type { Lease } from '#domain/leadership/lease-object.ts'
import type { LockLook } from '#domain/leadership/lock-object.ts'
import { pushedAt } from '#domain/leadership/mirror.rules.ts'
import type { PointerLook } from '#domain/leadership/pointer-object.ts'
import { type LockSettings, standingOfLock } from '#domain/leadership/push-lock.rules.ts'

/** Of locks whose body does not say it, as nodes have it by default. */
export const LOCK_SETTINGS: LockSettings = { ttlSeconds: 7200, graceSeconds: 60 }
export const POLICY = 'primary_authoritative'

/** The lease with the fields that nodes read; what another version left out is empty. */
export const leaseViewOf = (lease: Lease, canonicalId: string): LeaseView => ({
  canonical_id: textOr(fieldOf(lease, 'canonical_id'), canonicalId),
  primary_node_id: lease.primary_node_id,
  issued_by: textOr(fieldOf(lease, 'issued_by'), ''),
  policy: textOr(fieldOf(lease, 'policy'), POLICY),
  issued_at: lease.issued_at,
  expires_at: lease.expires_at,
  lease_seconds: lease.lease_seconds,
  epoch: lease.epoch,
  term: lease.term,
  needs_ui_selection: lease.needs_ui_selection,
})

export const textOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' ? value : otherwise

export function lockViewOf(look: LockLook): LeadershipView['lock'] {
  if (look.state === 'unreadable') return { state: 'unreadable', node_id: null, age_seconds: null }
  const standing = standingOfLock(look, LOCK_SETTINGS)
  if (standing.state === 'free') return { state: 'free', node_id: null, age_seconds: null }
  return { state: standing.state, node_id: standing.holder, age_seconds: standing.ageSeconds }
}

export function pointerViewOf(
  look: Exclude<PointerLook, { state: 'unreadable' }>,
): LeadershipView['pointer'] {
  if (look.state === 'absent') return { sha256: null, observations: null, term: null, pushed_at: null }
  const { sha256, observations, term } = look.pointer
  return { sha256, observations, term, pushed_at: pushedAt(look.pointer) }
}
