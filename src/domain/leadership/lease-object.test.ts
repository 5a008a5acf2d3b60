import { describe, expect, test } from 'vitest'
import { textOf } from './json-fields.ts'
import { type Lease, lookAtLease, nextLease } from './lease-object.ts'
import { lookAtLock } from './lock-object.ts'
import { lookAtPointer } from './pointer-object.ts'
import type { ObjectRead } from './protocol-effects.ts'

const LEASE = {
  canonical_id: 'aeeafec3a5b5710f',
  primary_node_id: 'rpi4b',
  issued_at: 1706000000,
  expires_at: 1706003600,
  lease_seconds: 3600,
  epoch: 3,
  policy: 'primary_authoritative',
  issued_by: 'rpi4b',
  needs_ui_selection: false,
}
const read = (text: string, age = 10): ObjectRead => ({
  found: 'object',
  text,
  etag: '"e"',
  modified: 5_000,
  storeNow: 5_000 + age,
})
const lease = (change: object, age?: number) =>
  lookAtLease(read(JSON.stringify({ ...LEASE, ...change }), age))

describe('lease.json', () => {
  test.each([
    ['{"epoch": 3, "prim', 'not JSON'],
    ['', 'not JSON'],
    ['[]', 'not a JSON object'],
    ['null', 'not a JSON object'],
    ['3', 'not a JSON object'],
    ['{}', 'primary_node_id is missing or of a wrong type'],
    ['{"__proto__": {"epoch": 1}}', 'primary_node_id is missing or of a wrong type'],
  ])('%s is unreadable', (text, reason) => {
    expect(lookAtLease(read(text))).toEqual({
      state: 'unreadable',
      reason,
      stored: { etag: '"e"', storeNow: 5_010 },
    })
  })

  test.each<[string, unknown]>([
    ['epoch', '3'],
    ['epoch', -1],
    ['epoch', 1.5],
    ['epoch', null],
    ['term', '1'],
    ['term', {}],
    ['primary_node_id', ''],
    ['primary_node_id', 7],
    ['issued_at', '1706000000'],
    ['expires_at', null],
    ['lease_seconds', 0],
    ['lease_seconds', '3600'],
    ['needs_ui_selection', 'false'],
    ['nonce', 5],
  ])('with %s = %j is unreadable and says which field', (field, value) => {
    const look = lease({ [field]: value })
    expect(look.state === 'unreadable' && look.reason).toBe(`${field} is missing or of a wrong type`)
  })

  test('of a node of today is valid: no term, and what is unknown stays', () => {
    const look = lease({ colour: 'green', needs_ui_selection: undefined })
    expect(look).toMatchObject({ state: 'valid', remaining: 3590, etag: '"e"' })
    expect(look.state === 'valid' && look.lease).toMatchObject({
      term: null,
      needs_ui_selection: false,
      colour: 'green',
    })
  })

  test.each([
    [0, 'valid', 3600],
    [3599, 'valid', 1],
    [3600, 'expired', 0],
    [3700, 'expired', -100],
    [-50, 'valid', 3600],
  ])('written %i s ago by the store is %s, whatever its own dates say', (age, state, remaining) => {
    expect(lease({ issued_at: 0, expires_at: 1 }, age)).toMatchObject({ state, remaining })
  })

  test('only a definite absence is absent', () => {
    expect(lookAtLease({ found: 'absent', storeNow: 1 }).state).toBe('absent')
    expect(lookAtLease({ found: 'unknown', reason: '503' })).toEqual({
      state: 'unreadable',
      reason: '503',
      stored: null,
    })
  })

  test('the next one keeps unknown fields, and the nonce of a term that goes on', () => {
    const before = { ...LEASE, term: 4, term_nonce: 'began', nonce: 'last', colour: 'green' } as Lease
    const change = {
      canonical_id: LEASE.canonical_id,
      primary_node_id: 'rpi4b',
      issued_by: 'rpi4b',
      storeNow: 9_000,
      lease_seconds: 60,
      epoch: 4,
      term: 4,
      needs_ui_selection: false,
      nonce: 'new',
    }
    const renewed = nextLease(before, change)
    expect(renewed).toMatchObject({ colour: 'green', nonce: 'new', term_nonce: 'began', expires_at: 9_060 })
    expect(nextLease(before, { ...change, term: 5 }).term_nonce).toBe('new')
    expect(lookAtLease(read(textOf(renewed))).state).toBe('valid')
  })
})

describe('manifest.json', () => {
  test('of a node of today has term 0', () => {
    const look = lookAtPointer(read('{"sha256":"ab","observations":12,"tables":["observations"]}'))
    expect(look.state === 'present' && look.pointer).toMatchObject({
      term: 0,
      epoch: 0,
      sha256: 'ab',
      recent: [],
    })
  })

  test.each(['[]', '{"term":"2"}', '{"recent":3}', '{"sha256":1}', '{"observations":-1}', '{'])(
    '%s is unreadable',
    (text) => expect(lookAtPointer(read(text)).state).toBe('unreadable'),
  )

  test('recent pushes of another form are left out', () => {
    const look = lookAtPointer(read('{"recent":["x",{"push_id":"p","sha256":"s","term":1},null]}'))
    expect(look.state === 'present' && look.pointer.recent).toEqual([{ push_id: 'p', sha256: 's', term: 1 }])
  })
})

describe('active.lock', () => {
  test.each(['', '[]', '{}', '{"timestamp":"now"}', '{"timestamp":1,"released":"yes"}'])(
    '%s is a lock of somebody unknown',
    (text) => expect(lookAtLock(read(text))).toMatchObject({ state: 'present', lock: null, modified: 5_000 }),
  )
})
