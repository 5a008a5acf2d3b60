import { expect, test } from 'vitest'
import { NOTHING_KNOWN } from './known-terms.rules.ts'
import type { Answer, Effect, ObjectRead } from './protocol-effects.ts'
import { lookAtRole } from './role-look.ts'

const lease = (primary_node_id: string, more: object = {}) => ({
  primary_node_id,
  issued_at: 0,
  expires_at: 100,
  lease_seconds: 100,
  epoch: 4,
  term: 2,
  ...more,
})
const objectOf = (value: unknown, age: number): ObjectRead => ({
  found: 'object',
  text: typeof value === 'string' ? value : JSON.stringify(value),
  etag: 'e',
  modified: 1_000 - age,
  storeNow: 1_000,
})
const ABSENT: ObjectRead = { found: 'absent', storeNow: 1_000 }

type Given = { reads: ObjectRead[]; primaryNodeId?: string | null; pointer?: ObjectRead; term?: number }

/** Runs the look with these answers to its reads of the lease, one after another; gives what it did besides. */
function look({ reads, primaryNodeId = null, pointer = ABSENT, term = 0 }: Given) {
  const node = { nodeId: 'alder', canonicalId: 'cid', primaryNodeId, leaseSeconds: 100 }
  const protocol = lookAtRole(node, { ...NOTHING_KNOWN, term })
  const effects: string[] = []
  const left = [...reads]
  let next = protocol.next(undefined as Answer)
  while (!next.done) {
    effects.push(next.value.effect)
    next = protocol.next(answerTo(next.value, pointer, left))
  }
  expect(effects.filter((effect) => !['read', 'monotonic', 'wait'].includes(effect))).toEqual([])
  return { ...next.value, waits: effects.filter((effect) => effect === 'wait').length }
}

function answerTo(effect: Effect, pointer: ObjectRead, leases: ObjectRead[]): Answer {
  if (effect.effect === 'read') return effect.object === 'pointer' ? pointer : (leases.shift() as ObjectRead)
  return effect.effect === 'monotonic' ? 5 : undefined
}

const OTHER_EXPIRED = objectOf(lease('birch'), 200)
const FLAGGED = objectOf(lease('birch', { needs_ui_selection: true }), 200)
const UNKNOWN: ObjectRead = { found: 'unknown', reason: '503' }

test.each<[string, Given, object]>([
  ['unreadable', { reads: [UNKNOWN] }, { role: 'unknown', reason: '503' }],
  ['not a lease', { reads: [objectOf('[]', 0)] }, { role: 'unknown' }],
  [
    'a pointer that is not read',
    { reads: [], pointer: UNKNOWN },
    { role: 'unknown', reason: 'manifest.json: 503' },
  ],
  ['absent, variable unset', { reads: [ABSENT] }, { role: 'primary', holder: 'alder' }],
  [
    'absent, another configured',
    { reads: [ABSENT], primaryNodeId: 'birch' },
    { role: 'secondary', holder: 'birch' },
  ],
  ['own', { reads: [objectOf(lease('alder'), 1)] }, { role: 'primary', warning: null }],
  ['own, soon over', { reads: [objectOf(lease('alder'), 99)] }, { role: 'primary' }],
  ['own, without a term', { reads: [objectOf(lease('alder', { term: undefined }), 1)] }, { role: 'primary' }],
  [
    'own, of a term below the known one',
    { reads: [objectOf(lease('alder'), 1)], term: 3 },
    { role: 'unknown' },
  ],
  ['own, expired', { reads: [objectOf(lease('alder'), 200)] }, { role: 'primary', waits: 0 }],
  ["another's", { reads: [objectOf(lease('birch'), 1)] }, { role: 'secondary', holder: 'birch' }],
  [
    "another's, against the configuration",
    { reads: [objectOf(lease('birch'), 1)], primaryNodeId: 'alder' },
    { role: 'secondary', warning: 'primary_node_id_contradicts' },
  ],
  ["another's, expired", { reads: [OTHER_EXPIRED, OTHER_EXPIRED] }, { role: 'secondary', waits: 1 }],
  [
    "another's, expired and renewed meanwhile",
    { reads: [OTHER_EXPIRED, objectOf(lease('alder'), 1)] },
    { role: 'primary', waits: 1 },
  ],
  ['expired, to be selected', { reads: [FLAGGED], primaryNodeId: 'alder' }, { role: 'primary', waits: 0 }],
])('the role that is seen in a lease: %s', (_, given, seen) => {
  expect(look(given)).toMatchObject(seen)
})
