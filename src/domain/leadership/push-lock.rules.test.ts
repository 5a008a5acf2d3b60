import { describe, expect, test } from 'vitest'
import { can } from '../kernel/machine.ts'
import type { LockLook, PushLock } from './lock-object.ts'
import { pushLockMachine } from './push-lock.machine.ts'
import { decideLock, standingOfLock } from './push-lock.rules.ts'

const SETTINGS = { ttlSeconds: 100, graceSeconds: 10 }
const NOW = 10_000
const present = (lock: Partial<PushLock> | null, modified = NOW): LockLook => ({
  state: 'present',
  etag: '"etag"',
  storeNow: NOW,
  modified,
  lock: lock === null ? null : ({ timestamp: modified, ...lock } as PushLock),
})
const aged = (seconds: number, lock: Partial<PushLock> = { owner_token: 'other' }) =>
  present(lock, NOW - seconds)
const ABSENT: LockLook = { state: 'absent', etag: null, storeNow: NOW }
const UNREADABLE: LockLook = { state: 'unreadable', reason: '503' }

type Given = { maySteal?: boolean; force?: boolean; ownerToken?: string }
const decide = (look: LockLook, { maySteal = true, force = false, ownerToken = 'mine' }: Given = {}) =>
  decideLock({ look, ownerToken, settings: SETTINGS, maySteal, force })

describe('whether the Push Lock may be taken', () => {
  test.each<[string, LockLook, Given, object]>([
    ['absent', ABSENT, {}, { event: 'acquire', ifMatch: null }],
    ['the store does not answer', UNREADABLE, { force: true }, { next: 'unknown', reason: '503' }],
    [
      'released',
      aged(0, { owner_token: 'other', released: true }),
      {},
      { event: 'acquire', ifMatch: '"etag"' },
    ],
    ['released by a node of today', present({ timestamp: 0 }), {}, { event: 'steal' }],
    ['own', aged(50, { owner_token: 'mine' }), {}, { event: 'renew' }],
    ['own, older than its life', aged(500, { owner_token: 'mine' }), { maySteal: false }, { event: 'renew' }],
    ['active', aged(99), {}, { next: 'blocked', state: 'active', ageSeconds: 99, ttlSeconds: 100 }],
    [
      'active, same host, another process',
      aged(1, { hostname: 'me', owner_token: 'other' }),
      {},
      { next: 'blocked' },
    ],
    ['active, of a node of today', aged(1, { hostname: 'old' }), {}, { next: 'blocked', holder: 'old' }],
    ['in grace', aged(100), {}, { next: 'blocked', state: 'grace' }],
    ['at the end of grace', aged(110), {}, { next: 'blocked', state: 'grace' }],
    ['stale, a primary', aged(111), {}, { event: 'steal', ifMatch: '"etag"' }],
    ['stale, a secondary', aged(111), { maySteal: false }, { next: 'blocked', state: 'stale' }],
    ['stale, a secondary with force', aged(111), { maySteal: false, force: true }, { event: 'override' }],
    ['active, with force', aged(1), { force: true }, { event: 'override', ifMatch: '"etag"' }],
    ['its own TTL counts', aged(150, { owner_token: 'other', ttl_seconds: 200 }), {}, { state: 'active' }],
    [
      'cannot be read, just written',
      present(null, NOW - 99),
      {},
      { next: 'blocked', state: 'active', holder: null },
    ],
    ['cannot be read, old', present(null, NOW - 111), {}, { event: 'steal' }],
    ['dated in the future', present({ timestamp: 2e9 }, NOW - 111), {}, { event: 'steal' }],
  ])('%s', (_, look, given, expected) => {
    expect(decide(look, given)).toMatchObject(expected)
  })

  test('every write is an edge of the machine', () => {
    for (const age of [0, 50, 100, 110, 111, 900])
      for (const lock of [null, { owner_token: 'mine' }, { owner_token: 'other' }, { released: true }])
        for (const maySteal of [true, false])
          for (const force of [true, false]) {
            const look = present(lock, NOW - age)
            const decision = decide(look, { maySteal, force })
            if (decision.next !== 'write' || look.state === 'unreadable') continue
            expect(can(pushLockMachine, standingOfLock(look, SETTINGS).state, decision.event)).toBe(true)
          }
  })
})
