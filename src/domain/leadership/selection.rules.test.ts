import { describe, expect, test } from 'vitest'
import { can } from '../kernel/machine.ts'
import { incidentsOf } from './incident.rules.ts'
import { type Known, NOTHING_KNOWN } from './known-terms.rules.ts'
import { leadershipLeaseMachine } from './leadership-lease.machine.ts'
import type { Lease, LeaseLook } from './lease-object.ts'
import type { LockLook, PushLock } from './lock-object.ts'
import { type PointerLook, pointerOf } from './pointer-object.ts'
import { decideSelection, selectionVerdict } from './selection.rules.ts'

const LEASE = {
  primary_node_id: 'alder',
  lease_seconds: 100,
  epoch: 7,
  term: 3,
  nonce: 'before',
  term_nonce: 'began',
} as Lease
const VALID: LeaseLook = { state: 'valid', lease: LEASE, etag: '"etag"', remaining: 50, storeNow: 5_000 }
const ABSENT: LeaseLook = { state: 'absent', storeNow: 5_000 }
const BROKEN: LeaseLook = {
  state: 'unreadable',
  reason: 'not JSON',
  stored: { etag: '"x"', storeNow: 5_000 },
}
const SILENT: LeaseLook = { state: 'unreadable', reason: '503', stored: null }

const FREE: LockLook = { state: 'absent', etag: null, storeNow: 5_000 }
const lockOf = (lock: Partial<PushLock> | null, age = 10): LockLook => ({
  state: 'present',
  etag: '"l"',
  storeNow: 5_000,
  modified: 5_000 - age,
  lock: lock && ({ timestamp: 5_000 - age, ...lock } as PushLock),
})

type Given = {
  primaryNodeId?: string
  expectedEpoch?: number | null
  force?: boolean
  reason?: string | null
  lock?: LockLook
  known?: Known
}
const decide = (look: LeaseLook, given: Given = {}) =>
  decideSelection({
    look,
    lock: given.lock ?? FREE,
    lockSettings: { ttlSeconds: 100, graceSeconds: 10 },
    known: given.known ?? NOTHING_KNOWN,
    nonce: 'now',
    selection: {
      canonicalId: 'cid',
      primaryNodeId: given.primaryNodeId ?? 'birch',
      leaseSeconds: 600,
      issuedBy: 'control-plane',
      expectedEpoch: given.expectedEpoch ?? null,
      force: given.force ?? false,
      reason: given.reason ?? null,
    },
  })

describe('selection by a person', () => {
  const taken = {
    primary_node_id: 'birch',
    epoch: 8,
    term: 4,
    issued_by: 'control-plane',
    lease_seconds: 600,
  }
  test.each<[string, LeaseLook, Given, object]>([
    ['of another node', VALID, {}, { event: 'select', ifMatch: '"etag"', lease: taken }],
    ['of the same node keeps its term', VALID, { primaryNodeId: 'alder' }, { lease: { epoch: 8, term: 3 } }],
    [
      'of the same node that fell behind',
      VALID,
      { primaryNodeId: 'alder', known: { epoch: 20, term: 6, holder: null } },
      { lease: { epoch: 21, term: 7 } },
    ],
    [
      'of the same node whose term was another’s',
      VALID,
      { primaryNodeId: 'alder', known: { epoch: 7, term: 3, holder: 'cedar' } },
      { lease: { epoch: 8, term: 4 } },
    ],
    ['of the epoch that was shown', VALID, { expectedEpoch: 7 }, { next: 'write' }],
    ['of another epoch', VALID, { expectedEpoch: 6 }, { code: 'EPOCH_STALE', winner: LEASE }],
    ['where there is no lease', ABSENT, {}, { event: 'select', ifMatch: null, lease: { epoch: 1, term: 1 } }],
    [
      'where a lease was shown and none is',
      ABSENT,
      { expectedEpoch: 7 },
      { code: 'EPOCH_STALE', winner: null },
    ],
    ['over what the store does not tell', SILENT, { force: true, reason: 'r' }, { code: 'LEASE_UNKNOWN' }],
    ['over what is no lease', BROKEN, { reason: 'r' }, { code: 'LEASE_UNKNOWN', reason: 'not JSON' }],
    ['the same with force, no reason', BROKEN, { force: true }, { code: 'LEASE_UNKNOWN' }],
    [
      'the same with force and reason',
      BROKEN,
      { force: true, reason: 'r', known: { epoch: 9, term: 4, holder: 'alder' } },
      { event: 'force_select', ifMatch: '"x"', lease: { epoch: 10, term: 5 } },
    ],
    [
      'while the primary pushes',
      VALID,
      { lock: lockOf({ node_id: 'alder' }) },
      { code: 'PUSH_IN_FLIGHT', holder: 'alder', ageSeconds: 10 },
    ],
    [
      'the same, by a node of today',
      VALID,
      { lock: lockOf({ hostname: 'alder.local' }) },
      { code: 'PUSH_IN_FLIGHT', holder: 'alder.local' },
    ],
    ['the same, by whom is not known', VALID, { lock: lockOf(null) }, { code: 'PUSH_IN_FLIGHT' }],
    ['the same with force', VALID, { force: true, lock: lockOf({ node_id: 'alder' }) }, { next: 'write' }],
    ['while another pushes', VALID, { lock: lockOf({ node_id: 'cedar' }) }, { next: 'write' }],
    ['a lock past its life', VALID, { lock: lockOf({ node_id: 'alder' }, 101) }, { next: 'write' }],
    ['a released lock', VALID, { lock: lockOf({ node_id: 'alder', released: true }) }, { next: 'write' }],
    [
      'of the same node while it pushes',
      VALID,
      { primaryNodeId: 'alder', lock: lockOf({ node_id: 'alder' }) },
      { next: 'write' },
    ],
    [
      'when the lock cannot be read',
      VALID,
      { lock: { state: 'unreadable', reason: '503' } },
      { code: 'LEASE_UNKNOWN' },
    ],
  ])('%s', (_, look, given, expected) => {
    const decision = decide(look, given)
    expect(decision).toMatchObject(expected)
    if (decision.next === 'write') expect(can(leadershipLeaseMachine, look.state, decision.event)).toBe(true)
  })
})

describe('whose a lease is after a selection without an answer', () => {
  const written = { ...LEASE, primary_node_id: 'birch', epoch: 8, term: 4, nonce: 'now', term_nonce: 'now' }
  const kept = { ...written, term: 3, term_nonce: 'began' }
  const now = (change: object): LeaseLook => ({ ...VALID, lease: { ...written, ...change } as Lease })
  const renewed = { epoch: 9, nonce: 'renewal' }
  test.each<[string, LeaseLook, Lease, string]>([
    ['the written one', now({}), written, 'applied'],
    ['renewed since', now(renewed), written, 'applied'],
    ['not written yet', VALID, written, 'not_applied'],
    ['another of this epoch', now({ nonce: 'x', term_nonce: 'x' }), written, 'not_applied'],
    ['another began this term', now({ ...renewed, term_nonce: 'x' }), written, 'not_applied'],
    ['of a later term', now({ ...renewed, term: 5, term_nonce: 'x' }), written, 'open'],
    ['a node of today wrote since', now({ ...renewed, term: null, term_nonce: null }), written, 'open'],
    ['same term, renewed since', now({ ...renewed, term: 3, term_nonce: 'began' }), kept, 'open'],
    ['unreadable', SILENT, written, 'open'],
  ])('%s', (_, look, lease, expected) => {
    expect(selectionVerdict(look, lease)).toBe(expected)
  })
})

describe('incidents', () => {
  const pointer = (term: number): PointerLook => ({
    state: 'present',
    etag: '',
    storeNow: 0,
    pointer: pointerOf({ term }),
  })
  const mirror = { epoch: 7, term: 3, holder: 'alder' }
  const lease = (change: object): LeaseLook => ({ ...VALID, lease: { ...LEASE, ...change } as Lease })
  test.each<[string, LeaseLook, number, string[]]>([
    ['nothing', VALID, 3, []],
    ['a fence that is not written yet', lease({ epoch: 8, term: 4, primary_node_id: 'birch' }), 3, []],
    ['the lease is gone', ABSENT, 3, ['lease_vanished']],
    ['no answer', SILENT, 3, []],
    ['epoch and term went back', lease({ epoch: 1, term: 1 }), 1, ['epoch_regression', 'term_regression']],
    ['a node of today went back', lease({ epoch: 1, term: null }), 3, ['epoch_regression', 'term_dropped']],
    ['a node of today wrote over it', lease({ epoch: 8, term: null }), 3, ['term_dropped']],
    [
      'a node of today made itself the primary',
      lease({ epoch: 8, term: null, primary_node_id: 'birch' }),
      3,
      ['term_dropped', 'holder_changed'],
    ],
    ['two holders', lease({ epoch: 8, primary_node_id: 'birch' }), 3, ['two_holders']],
    ['the pointer is ahead', VALID, 4, ['pointer_above_lease']],
  ])('%s', (_, look, term, kinds) => {
    expect(incidentsOf(mirror, look, pointer(term)).map(({ kind }) => kind)).toEqual(kinds)
  })

  test('a lease that never had a term is none', () => {
    const known = { epoch: 6, term: 0, holder: 'alder' }
    const look = lease({ term: null, primary_node_id: 'birch' })
    expect(incidentsOf(known, look, pointer(0))).toEqual([])
  })

  test('no lease yet is none', () => {
    expect(incidentsOf(NOTHING_KNOWN, ABSENT, pointer(0))).toEqual([])
  })
})
