import {
  faultOf,
  isCount,
  isFlag,
  isPositive,
  isText,
  isTime,
  type JsonObject,
  orAbsent,
  parseObject,
} from './json-fields.ts'
import type { ObjectRead } from './protocol-effects.ts'

/** `active.lock` with the names it has on the wire ([leadership#push-lock]). Today's nodes write no node id, token, term or mark of release. */
export type PushLock = JsonObject & {
  readonly hostname?: string
  readonly node_id?: string
  readonly timestamp: number
  readonly owner_token?: string
  readonly term?: number
  readonly ttl_seconds?: number
  readonly released?: boolean
}

export type LockLook =
  | { state: 'absent'; etag: null; storeNow: number }
  /** `lock` is `null` where the body cannot be read: somebody has had it since `modified`. */
  | { state: 'present'; etag: string; storeNow: number; modified: number; lock: PushLock | null }
  | { state: 'unreadable'; reason: string }

const FORMS = {
  timestamp: isTime,
  hostname: orAbsent(isText),
  node_id: orAbsent(isText),
  owner_token: orAbsent(isText),
  term: orAbsent(isCount),
  ttl_seconds: orAbsent(isPositive),
  released: orAbsent(isFlag),
}

/** What an answer of the store says about the lock. */
export function lookAtLock(read: ObjectRead): LockLook {
  if (read.found === 'unknown') return { state: 'unreadable', reason: read.reason }
  if (read.found === 'absent') return { state: 'absent', etag: null, storeNow: read.storeNow }
  const parsed = parseObject(read.text)
  const lock = parsed.ok && faultOf(parsed.value, FORMS) === null ? (parsed.value as PushLock) : null
  return { state: 'present', etag: read.etag, storeNow: read.storeNow, modified: read.modified, lock }
}

export type LockOwner = {
  hostname: string
  node_id: string
  project: string
  canonical_id: string
  owner_token: string
  term: number
  ttl_seconds: number
}

/** The body of a lock that is taken or renewed at this time of the store. */
export const leasedLock = (owner: LockOwner, storeNow: number): PushLock => ({
  ...owner,
  timestamp: storeNow,
})

/** The body of a lock that is let go: today's nodes read the time 0 as stale and are not blocked. */
export const releasedLock = (owner: LockOwner): PushLock => ({ ...owner, timestamp: 0, released: true })
