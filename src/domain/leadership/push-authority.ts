import { passesFence } from './fence.rules.ts'
import type { Known } from './known-terms.rules.ts'
import { type ReadablePointer, resolveRole } from './lease-protocol.ts'
import { lookAtPointer } from './pointer-object.ts'
import { type Protocol, perform } from './protocol-effects.ts'
import { comparePush, type Snapshot } from './push.rules.ts'
import type { LockSettings } from './push-lock.rules.ts'
import { failed, type PushEnd, staleTerm } from './push-outcome.ts'
import type { NodeIdentity } from './role.rules.ts'

/** By what right a node pushes ([leadership#fencing]): its own term, the term of the primary that an override lends it, or none. */
export type PushSettings = {
  node: NodeIdentity
  hostname: string
  project: string
  lock: LockSettings
  known: Known
  /** `LEADERSHIP_ENABLED`: without it neither role nor term is checked. */
  leadership: boolean
  allowSecondary: boolean
  force: boolean
}

export type Authority = {
  holder: string | null
  term: number
  epoch: number
  trustUntil: number
  maySteal: boolean
}
export type Authorised = { authority: Authority; pointer: ReadablePointer }

export const isEnd = (value: PushEnd | Authorised): value is PushEnd => 'outcome' in value

/** Whether this node may push now: at the start, or still, on the term it began with. */
export function* authorise(settings: PushSettings, before: Authority | null): Protocol<Authorised | PushEnd> {
  if (!settings.leadership) return yield* withoutLeadership()
  const standing = yield* resolveRole(settings.node, settings.known)
  if (standing.role === 'unknown') return failed('role_unknown', standing.reason)
  const { holder, term, epoch, pointer } = standing
  const isStale = before !== null && (before.term !== term || before.holder !== holder)
  if (isStale) return staleTerm(before.term, term)
  if (standing.role === 'primary')
    return { authority: { holder, term, epoch, trustUntil: standing.trustUntil, maySteal: true }, pointer }
  if (!settings.allowSecondary)
    return { outcome: 'refused', exit: 3, message: 'secondary_push_blocked', term, found: term }
  return {
    authority: { holder, term, epoch, trustUntil: Number.POSITIVE_INFINITY, maySteal: false },
    pointer,
  }
}

/** As before leadership: the pointer keeps the term it has, and everything else stays as it is. */
function* withoutLeadership(): Protocol<Authorised | PushEnd> {
  const pointer = lookAtPointer(yield* perform({ effect: 'read', object: 'pointer' }))
  if (pointer.state === 'unreadable') return failed('pointer_unreadable', pointer.reason)
  const { term, epoch } = pointer.state === 'present' ? pointer.pointer : { term: 0, epoch: 0 }
  return {
    authority: { holder: null, term, epoch, trustUntil: Number.POSITIVE_INFINITY, maySteal: true },
    pointer,
  }
}

/** What the pointer alone says against this push: a higher term, the same content, or more observations than here. */
export function refusedByPointer(
  settings: PushSettings,
  authority: Authority,
  pointer: ReadablePointer,
  snapshot: Snapshot,
): PushEnd | null {
  if (!passesFence(pointer, authority.term) && pointer.state === 'present')
    return staleTerm(authority.term, pointer.pointer.term)
  const compared = comparePush(pointer, snapshot, settings.force)
  if (compared.next === 'same')
    return { outcome: 'up_to_date', exit: 0, sha256: compared.sha256, term: authority.term }
  return compared.next === 'remote_ahead' ? failed('remote_ahead') : null
}
