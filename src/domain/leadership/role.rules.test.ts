import { describe, expect, test } from 'vitest'
import { can } from '../kernel/machine.ts'
import { type Known, NOTHING_KNOWN } from './known-terms.rules.ts'
import { leadershipLeaseMachine } from './leadership-lease.machine.ts'
import type { Lease, LeaseLook } from './lease-object.ts'
import { decideRole, type RoleDecision } from './role.rules.ts'

const LEASE = {
  canonical_id: 'cid',
  primary_node_id: 'alder',
  issued_at: 0,
  expires_at: 100,
  lease_seconds: 100,
  epoch: 7,
  term: 3,
  needs_ui_selection: false,
  nonce: 'before',
  term_nonce: 'began',
} as Lease

const stored = (remaining: number, change: object = {}): LeaseLook => ({
  state: remaining > 0 ? 'valid' : 'expired',
  lease: { ...LEASE, ...change } as Lease,
  etag: '"etag"',
  remaining,
  storeNow: 5_000,
})

type Given = {
  nodeId?: string
  primaryNodeId?: string | null
  known?: Known
  expiredLooks?: number
  mayRenewEarly?: boolean
}
const decide = (look: LeaseLook, given: Given = {}): RoleDecision =>
  decideRole({
    look,
    node: {
      nodeId: given.nodeId ?? 'alder',
      canonicalId: 'cid',
      primaryNodeId: given.primaryNodeId ?? null,
      leaseSeconds: 100,
    },
    known: given.known ?? NOTHING_KNOWN,
    startedAt: 1_000,
    nonce: 'now',
    expiredLooks: given.expiredLooks ?? 0,
    mayRenewEarly: given.mayRenewEarly ?? true,
  })

const ABSENT: LeaseLook = { state: 'absent', storeNow: 5_000 }
const UNREADABLE: LeaseLook = { state: 'unreadable', reason: '503', stored: null }
const birch = { nodeId: 'birch' }
const birchConfigured = { nodeId: 'birch', primaryNodeId: 'birch' }
const flagged = { needs_ui_selection: true }

describe('the role of a node, row by row', () => {
  test.each<[string, LeaseLook, Given, object]>([
    ['R1 unreadable', UNREADABLE, {}, { next: 'unknown', reason: '503' }],
    [
      'R2 absent, variable unset',
      ABSENT,
      {},
      {
        event: 'bootstrap',
        ifMatch: null,
        lease: { primary_node_id: 'alder', epoch: 1, term: 1, ...flagged },
      },
    ],
    [
      'R2 absent, another configured',
      ABSENT,
      { primaryNodeId: 'birch' },
      {
        event: 'bootstrap',
        lease: { primary_node_id: 'birch', issued_by: 'alder', needs_ui_selection: false },
      },
    ],
    [
      'R2 absent, but epochs and terms are known',
      ABSENT,
      { known: { epoch: 40, term: 6, holder: 'alder' } },
      { lease: { epoch: 41, term: 7 } },
    ],
    ['R3 valid, own', stored(60), {}, { next: 'primary', term: 3, trustUntil: 1_060, warning: null }],
    ['R3 valid, of another', stored(60), birch, { next: 'secondary', holder: 'alder', term: 3 }],
    [
      'R3 contradicts the variable',
      stored(60),
      { primaryNodeId: 'birch' },
      { next: 'primary', warning: 'primary_node_id_contradicts' },
    ],
    [
      'R3 of another, contradicts the variable',
      stored(60),
      birchConfigured,
      { next: 'secondary', warning: 'primary_node_id_contradicts' },
    ],
    [
      'R3 own, half over',
      stored(49),
      {},
      { event: 'renew', lease: { epoch: 8, term: 3, term_nonce: 'began' } },
    ],
    ['R3 own, half over, on the last look', stored(49), { mayRenewEarly: false }, { next: 'primary' }],
    ['R3 own, without a term', stored(60, { term: null }), {}, { event: 'renew', lease: { term: 1 } }],
    [
      'R3 own, without a term, its own one known',
      stored(60, { term: null }),
      { known: { epoch: 9, term: 5, holder: 'alder' } },
      { event: 'renew', lease: { term: 5, epoch: 10 } },
    ],
    [
      'R3 own, without a term, the known one of somebody else',
      stored(60, { term: null }),
      { known: { epoch: 9, term: 5, holder: null } },
      { event: 'renew', lease: { term: 6 } },
    ],
    [
      'R3 own, but a higher term is known',
      stored(60),
      { known: { epoch: 9, term: 4, holder: null } },
      { next: 'unknown', reason: 'lease.json has term 3, but term 4 is known: select a primary' },
    ],
    [
      'R4 expired, own, but a higher term is known',
      stored(0),
      { known: { epoch: 9, term: 4, holder: 'birch' } },
      { next: 'unknown', reason: expect.stringContaining('select a primary') },
    ],
    [
      'R4 expired, own, unset',
      stored(0),
      {},
      { event: 'renew', ifMatch: '"etag"', lease: { epoch: 8, term: 3 } },
    ],
    ['R4 expired, own, configured', stored(-900), { primaryNodeId: 'alder' }, { event: 'renew' }],
    [
      'R6 expired, own, another configured',
      stored(0),
      { primaryNodeId: 'birch' },
      { next: 'look_again', seconds: 2 },
    ],
    [
      'R5 expired for the margin, flagged',
      stored(-5, flagged),
      birchConfigured,
      {
        event: 'take_over',
        lease: { primary_node_id: 'birch', epoch: 8, term: 4, needs_ui_selection: false, term_nonce: 'now' },
      },
    ],
    ['R5 not before the margin', stored(-4, flagged), birchConfigured, { next: 'look_again' }],
    [
      'R6 after a selection the variable takes nothing',
      stored(-900),
      birchConfigured,
      { next: 'look_again' },
    ],
    ['R6 flagged, variable unset', stored(-900, flagged), birch, { next: 'look_again' }],
    ['R6 second look', stored(-900), { ...birch, expiredLooks: 1 }, { next: 'secondary', holder: 'alder' }],
  ])('%s', (_, look, given, expected) => {
    expect(decide(look, given)).toMatchObject(expected)
  })

  test('every write is an edge of the machine from what was read, under the condition of what was read', () => {
    const looks = [ABSENT, UNREADABLE, ...[60, 49, 0, -4, -5, -900].map((left) => stored(left, flagged))]
    for (const look of looks)
      for (const nodeId of ['alder', 'birch'])
        for (const primaryNodeId of [null, 'alder', 'birch']) {
          const decision = decide(look, { nodeId, primaryNodeId })
          if (decision.next !== 'write') continue
          expect(can(leadershipLeaseMachine, look.state, decision.event)).toBe(true)
          expect(decision.ifMatch).toBe(look.state === 'absent' ? null : '"etag"')
          expect(decision.lease.epoch).toBeGreaterThan(look.state === 'absent' ? 0 : LEASE.epoch)
        }
  })
})
