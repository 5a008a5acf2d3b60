import { describe, expect, test } from 'vitest'
import { NOTHING_KNOWN } from './known-terms.rules.ts'
import { lookAtLease } from './lease-object.ts'
import { learned, pushedAt, roleOfNode, sizeOf, stateNow } from './mirror.rules.ts'
import { pointerOf } from './pointer-object.ts'

const VALID = { state: 'valid', holder: 'alder', remaining: 10 } as const

describe('a remembered lease', () => {
  test.each([
    [VALID, 'valid', 'primary', 'secondary'],
    [{ ...VALID, remaining: 0 }, 'expired', 'secondary', 'secondary'],
    [{ ...VALID, remaining: null }, 'expired', 'secondary', 'secondary'],
    [{ ...VALID, state: 'expired', remaining: 10 }, 'expired', 'secondary', 'secondary'],
    [{ ...VALID, state: 'absent', holder: null }, 'absent', 'unknown', 'unknown'],
    [{ ...VALID, state: 'unreadable' }, 'unreadable', 'unknown', 'unknown'],
    [{ ...VALID, state: null }, 'unreadable', 'unknown', 'unknown'],
  ] as const)('%j is %s: its holder %s, another %s', (lease, state, holder, other) => {
    const role = (nodeId: string, leadershipEnabled = true) =>
      roleOfNode(lease, { nodeId, leadershipEnabled })
    expect([stateNow(lease), role('alder'), role('birch')]).toEqual([state, holder, other])
    expect([role('alder', false), role('birch', false)]).toEqual(['unknown', 'unknown'])
  })
})

describe('what is known', () => {
  const look = (fields: object) =>
    lookAtLease({
      ...{ found: 'object', etag: 'e', modified: 0, storeNow: 1 },
      text: JSON.stringify({
        ...{ primary_node_id: 'alder', issued_at: 0, expires_at: 9, lease_seconds: 9, epoch: 5, term: 2 },
        ...fields,
      }),
    })
  const known = { epoch: 5, term: 2, holder: 'alder' }
  test.each([
    ['of nothing, the first', NOTHING_KNOWN, look({}), known],
    ['of a renewal, the epoch', known, look({ epoch: 6 }), { ...known, epoch: 6 }],
    [
      'of a new term, its holder',
      known,
      look({ primary_node_id: 'birch', epoch: 6, term: 3 }),
      { epoch: 6, term: 3, holder: 'birch' },
    ],
    ['of another holder of the term, none', known, look({ primary_node_id: 'birch' }), known],
    [
      'of a lower epoch and term, nothing',
      known,
      look({ primary_node_id: 'birch', epoch: 1, term: 1 }),
      known,
    ],
    ['of a lease without a term, the epoch', known, look({ term: null, epoch: 9 }), { ...known, epoch: 9 }],
    ['of one that cannot be read, nothing', known, look({ epoch: '9' }), known],
  ])('%s', (_name, before, at, after) => expect(learned(before, at)).toEqual(after))
})

describe('a pointer', () => {
  test.each<[unknown, number | null]>([
    [1_763_884_800.5, 1_763_884_800.5],
    ['2025-11-23T08:00:00Z', 1_763_884_800],
    ['2025-11-23T08:00:00', 1_763_884_800],
    ['2025-11-23 08:00:00.5', 1_763_884_800.5],
    ['2025-11-23T10:00:00+02:00', 1_763_884_800],
    ['yesterday', null],
    [null, null],
    [{}, null],
  ])('dated %j was pushed at %j', (timestamp, at) =>
    expect(pushedAt(pointerOf({ sha256: 'ab', timestamp }))).toBe(at),
  )

  test('that only fences was never pushed and has no size', () => {
    const stub = pointerOf({ sha256: null, timestamp: 5, db_size: 9 })
    expect([pushedAt(stub), sizeOf(stub)]).toEqual([null, null])
    expect([9, '9', -1, undefined].map((db_size) => sizeOf(pointerOf({ sha256: 'a', db_size })))).toEqual([
      ...[9, null, null, null],
    ])
  })
})
