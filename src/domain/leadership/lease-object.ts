import { cutText } from '../kernel/cut-text.ts'
import {
  faultOf,
  isCount,
  isFlag,
  isName,
  isPositive,
  isText,
  isTime,
  type JsonObject,
  orAbsent,
  parseObject,
} from './json-fields.ts'
import type { LeaseState } from './leadership-lease.machine.ts'
import type { ObjectRead } from './protocol-effects.ts'

/**
 * `lease.json` with the names it has on the wire ([leadership#lease]). `term` is `null` in a lease of a node that does not know it.
 * `term_nonce` is the nonce of the write that began the term: renewals keep it, so that this write can be recognised later.
 */
export type Lease = JsonObject & {
  readonly primary_node_id: string
  readonly issued_at: number
  readonly expires_at: number
  readonly lease_seconds: number
  readonly epoch: number
  readonly term: number | null
  readonly needs_ui_selection: boolean
  readonly nonce: string | null
  readonly term_nonce: string | null
}

/** A lease as it stands. `remaining` is in seconds of the store's clock, at most 0 when it has expired. */
export type StoredLease = { lease: Lease; etag: string; remaining: number; storeNow: number }

export type LeaseLook =
  | { state: Extract<LeaseState, 'absent'>; storeNow: number }
  | ({ state: Extract<LeaseState, 'valid' | 'expired'> } & StoredLease)
  /** `stored` is the object, where there is one that cannot be read as a lease; `null` where the store did not answer. */
  | {
      state: Extract<LeaseState, 'unreadable'>
      reason: string
      stored: { etag: string; storeNow: number } | null
    }

/** More than any node id has. What is remembered of a holder is as long, so it is the same one at every look. */
export const HOLDER_MAX = 500

const FORMS = {
  primary_node_id: isName,
  issued_at: isTime,
  expires_at: isTime,
  lease_seconds: isPositive,
  epoch: isCount,
  term: orAbsent(isCount),
  needs_ui_selection: orAbsent(isFlag),
  nonce: orAbsent(isText),
  term_nonce: orAbsent(isText),
}

/** What an answer of the store says about the lease. Its age is the store's date of the answer less its date of the last write. */
export function lookAtLease(read: ObjectRead): LeaseLook {
  if (read.found === 'unknown') return { state: 'unreadable', reason: read.reason, stored: null }
  if (read.found === 'absent') return { state: 'absent', storeNow: read.storeNow }
  const { etag, storeNow } = read
  const parsed = parseObject(read.text)
  const fault = parsed.ok ? faultOf(parsed.value, FORMS) : parsed.fault
  if (!parsed.ok || fault !== null)
    return { state: 'unreadable', reason: fault ?? 'not JSON', stored: { etag, storeNow } }
  const holder = parsed.value.primary_node_id as string
  const lease = {
    ...parsed.value,
    primary_node_id: cutText(holder, HOLDER_MAX),
    term: parsed.value.term ?? null,
    needs_ui_selection: parsed.value.needs_ui_selection ?? false,
    nonce: parsed.value.nonce ?? null,
    term_nonce: parsed.value.term_nonce ?? null,
  } as Lease
  const remaining = lease.lease_seconds - Math.max(0, storeNow - read.modified)
  return { state: remaining > 0 ? 'valid' : 'expired', lease, etag, remaining, storeNow }
}

export type LeaseChange = {
  canonical_id: string
  primary_node_id: string
  issued_by: string
  storeNow: number
  lease_seconds: number
  epoch: number
  term: number
  needs_ui_selection: boolean
  nonce: string
}

/** The next lease: what other versions wrote besides stays, and a term that goes on keeps the nonce that began it. */
export function nextLease(before: Lease | null, change: LeaseChange): Lease {
  const { storeNow, ...fields } = change
  return {
    ...before,
    ...fields,
    policy: 'primary_authoritative',
    issued_at: storeNow,
    expires_at: storeNow + change.lease_seconds,
    term_nonce: before && before.term === change.term ? before.term_nonce : change.nonce,
  }
}
