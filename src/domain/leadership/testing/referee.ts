import { type Lease, lookAtLease } from '../lease-object.ts'
import { lookAtLock } from '../lock-object.ts'
import { lookAtPointer, type Pointer } from '../pointer-object.ts'
import type { FencedObject, ObjectRead, WriteEffect } from '../protocol-effects.ts'
import { TAKEOVER_MARGIN } from '../role.rules.ts'
import type { ModelStore } from './model-store.ts'
import { LOCK } from './settings.ts'

/**
 * Sees every write in the order of the store and every report of a process, and says what must never happen. It judges from the objects and
 * from the true time, which no process knows.
 */
export const VIOLATIONS = [
  'two holders of one term',
  'term regression',
  'epoch not raised',
  'term and holder changed apart',
  'stale push accepted',
  'taken over before its end',
  'acted outside its trust window',
  'pushed on a term that ended before the upload',
  'stale without a change of holder',
  'more observations overwritten',
  'lock taken from its owner',
  'lock left behind',
  'mirror left behind',
  'pushed without its lock',
  'unknown taken for absent',
  'reported failed but applied',
  'reported done but not applied',
  'two promotions of one epoch',
  'incident without a cause',
] as const
export type Violation = (typeof VIOLATIONS)[number]

/** What the referee keeps of one process. */
export type Witness = {
  nodeId: string
  /** Whether it acts by a term of its own, and not by the one of the primary that an override lends it. */
  leads: boolean
  /** False where leadership is switched off: nothing is promised of the terms of its pushes, but that they never lower the pointer's. */
  isFenced: boolean
  force: boolean
  /** Objects that it was definitely answered to be absent. */
  absent: Set<FencedObject>
  /** The nonces of what it wrote to the lease or the pointer in this run, and its token. */
  marks: Set<string>
  token: string | null
  holderChangesAtStart: number
  /** The lease's term, and the token in the lock, when its upload had ended. */
  afterUpload: { term: number | null; token: string | null } | null
}

export class Referee {
  readonly found = new Map<Violation, number>()
  readonly applied = new Set<string>()
  holderChanges = 0
  /** The highest term that anybody was told. */
  #reported = 0
  /** The owners whose pushes have ended without a lock. */
  readonly #ended = new Set<string>()
  readonly #denied = new Set<string>()
  readonly #holders = new Map<number, string>()
  readonly #promotedEpochs = new Set<number>()
  readonly #takenOverAt = new Map<number, number>()
  readonly #store: ModelStore

  constructor(store: ModelStore) {
    this.#store = store
  }

  find(violation: Violation): void {
    this.found.set(violation, (this.found.get(violation) ?? 0) + 1)
  }

  /** A store's answer on its way to a process. */
  sawRead(by: Witness, object: FencedObject, read: ObjectRead): void {
    if (read.found === 'absent') by.absent.add(object)
    if (read.found === 'object') by.absent.delete(object)
  }

  /** A process sends a write: until here it knew what it knew, and its own clock counts. */
  sent(by: Witness, { object, event, text, ifMatch }: WriteEffect, now: number): void {
    if (ifMatch === null && !by.absent.has(object)) this.find('unknown taken for absent')
    const mark = markOf(object, text)
    if (mark !== null && REPORTED.has(event)) by.marks.add(mark)
    if (object === 'lock') by.token = mark
    const term = termIn(text)
    const acts = event === 'commit' || event === 'acquire' || event === 'steal'
    if (!acts || !by.leads || term === null) return
    this.reportedTerm(term, by.nodeId)
    if (event === 'commit' && now > (this.#takenOverAt.get(term) ?? Number.POSITIVE_INFINITY))
      this.find('acted outside its trust window')
  }

  /** A process was told that it has this term, or a person that somebody has. */
  reportedTerm(term: number, holder: string): void {
    this.#reported = Math.max(this.#reported, term)
    const known = this.#holders.get(term) ?? holder
    this.#holders.set(term, known)
    if (known !== holder) this.find('two holders of one term')
  }

  /** A person was told that the selection of a node took effect, upon the epoch that was shown, or upon any. */
  selected({ term, primary_node_id }: Lease, fenced: boolean, shownEpoch: number | null): void {
    if (shownEpoch !== null && this.#promotedEpochs.has(shownEpoch)) this.find('two promotions of one epoch')
    if (shownEpoch !== null) this.#promotedEpochs.add(shownEpoch)
    if (fenced && term !== null) this.reportedTerm(term, primary_node_id)
  }

  /** A write is about to take effect. */
  applies(by: Witness, write: WriteEffect, now: number): void {
    const mark = markOf(write.object, write.text)
    if (mark !== null && REPORTED.has(write.event)) {
      this.applied.add(mark)
      if (this.#denied.has(mark)) this.find('reported failed but applied')
    }
    if (write.object === 'lease') this.#leaseChanges(write, now)
    if (write.object === 'pointer') this.#pointerChanges(by, write, now)
    if (write.object === 'lock') this.#lockChanges(by, write, mark, now)
  }

  #leaseChanges({ event, text }: WriteEffect, now: number): void {
    const before = lookAtLease(this.#store.read('lease', now))
    const after = lookAtLease({ found: 'object', text, etag: text, modified: 0, storeNow: 0 })
    if (after.state !== 'valid' && after.state !== 'expired') return
    if (before.state !== 'valid' && before.state !== 'expired') return
    const [old, next] = [before.lease, after.lease]
    if (next.epoch <= old.epoch) this.find('epoch not raised')
    if (event === 'take_over' && this.#leaseAge(now) < old.lease_seconds + TAKEOVER_MARGIN)
      this.find('taken over before its end')
    const isSameHolder = old.primary_node_id === next.primary_node_id
    if (!isSameHolder) this.holderChanges++
    if (old.term === null || next.term === null) return
    if (next.term < old.term) this.find('term regression')
    if (isSameHolder !== (old.term === next.term)) this.find('term and holder changed apart')
    if (event === 'take_over') this.#takenOverAt.set(old.term, now)
  }

  /** By the store's own clock. */
  #leaseAge(now: number): number {
    return this.#store.clock(now) - this.#store.clock(this.#store.get('lease')?.writtenAt ?? now)
  }

  #pointerChanges(by: Witness, { event, text }: WriteEffect, now: number): void {
    const before = lookAtPointer(this.#store.read('pointer', now))
    const after = lookAtPointer({ found: 'object', text, etag: text, modified: 0, storeNow: 0 })
    if (after.state !== 'present') return
    const { term, observations } = after.pointer
    if (before.state === 'present' && term < before.pointer.term) this.find('term regression')
    if (event !== 'commit') return
    const fewer = before.state === 'present' && (before.pointer.observations ?? 0) > (observations ?? 0)
    if (fewer && !by.force) this.find('more observations overwritten')
    // A write of an earlier push, which was left open and comes late, has nothing to do with the upload of this one.
    const upload = by.marks.has(markOf('pointer', text) ?? '') ? by.afterUpload : null
    if (upload && upload.token !== by.token) this.find('pushed without its lock')
    if (!by.isFenced) return
    if (term < this.#reported) this.find('stale push accepted')
    if ((upload?.term ?? 0) > term) this.find('pushed on a term that ended before the upload')
  }

  #lockChanges(by: Witness, { event, text }: WriteEffect, token: string | null, now: number): void {
    const before = this.#store.get('lock')?.text ?? '{}'
    if (token !== null && this.#ended.has(token) && fieldIn(text, 'released') !== true)
      this.find('lock left behind')
    if (event === 'withdraw' && by.force) return
    if (event === 'override' || fieldIn(before, 'released') === true) return
    if ([null, token].includes(fieldIn(before, 'owner_token') as string | null)) return
    const age = this.#store.clock(now) - Number(fieldIn(before, 'timestamp'))
    if (age <= LOCK.ttlSeconds + LOCK.graceSeconds) this.find('lock taken from its owner')
  }

  /** A process reports that what it wrote in this run took effect, or that nothing of it did or ever will. */
  reports(by: Witness, outcome: 'applied' | 'not_applied', mark?: string): void {
    const marks = mark === undefined ? [...by.marks] : [mark]
    const took = marks.some((one) => this.applied.has(one))
    if (outcome === 'applied' && !took) this.find('reported done but not applied')
    if (outcome === 'applied') return
    if (took) this.find('reported failed but applied')
    for (const one of marks) this.#denied.add(one)
  }

  /** A push ended and says that it has no lock, and none of its writes may ever give it one. */
  reportsNoLock(by: Witness, now: number): void {
    if (by.token !== null) this.#ended.add(by.token)
    const look = lookAtLock(this.#store.read('lock', now))
    if (by.token === null || look.state !== 'present') return
    if (look.lock?.owner_token === by.token && look.lock.released !== true) this.find('lock left behind')
  }

  /** A push ended well: what it found or wrote in the pointer is mirrored, unless others came upon it since. */
  reportsMirror(isStillThere: (pointer: Pointer) => boolean): void {
    const look = lookAtPointer(this.#store.read('pointer', 0))
    if (look.state !== 'present' || !isStillThere(look.pointer)) return
    if (look.pointer.sha256 !== this.#store.mirrored) this.find('mirror left behind')
  }

  /** An upload ended: who leads now, and who pushes. */
  sawUploadEnd(by: Witness): void {
    const [lease, lock] = [this.#store.get('lease')?.text ?? '{}', this.#store.get('lock')?.text ?? '{}']
    by.afterUpload = { term: termIn(lease), token: markOf('lock', lock) }
  }
}

/** The writes that somebody is told of. */
const REPORTED: ReadonlySet<string> = new Set(['commit', 'select', 'force_select'])

const fieldIn = (text: string, name: string): unknown => {
  try {
    return JSON.parse(text)[name] ?? null
  } catch {
    return null
  }
}
const MARKS = { lease: 'nonce', lock: 'owner_token', pointer: 'push_id' } as const
const markOf = (object: FencedObject, text: string) => fieldIn(text, MARKS[object]) as string | null
const termIn = (text: string) => fieldIn(text, 'term') as number | null
