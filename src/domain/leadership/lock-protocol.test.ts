import { describe, expect, test } from 'vitest'
import { type LockClaim, ownsLock, releaseLock, renewLock, takeLock } from './lock-protocol.ts'
import type { Effect, WriteEffect } from './protocol-effects.ts'
import { type Script, Stage } from './testing/drive.ts'

const TTL = 60
const OWNER = {
  hostname: 'alder.local',
  node_id: 'alder',
  project: 'mem',
  canonical_id: 'cid',
  owner_token: 'mine',
  term: 2,
  ttl_seconds: TTL,
}
const claim = (change: Partial<LockClaim> = {}): LockClaim => ({
  owner: OWNER,
  settings: { ttlSeconds: TTL, graceSeconds: 5 },
  maySteal: true,
  force: false,
  sentOver: new Set(),
  ...change,
})
const isWrite = (effect: Effect): effect is WriteEffect => effect.effect === 'write'
/** Reads are not answered until this time. */
const silentUntil = (on: Stage, end: number): Script => ({
  instead: (effect) =>
    effect.effect === 'read' && on.now < end ? { found: 'unknown', reason: '503' } : undefined,
})
const unanswered: Script['instead'] = (effect) => (isWrite(effect) ? { answer: 'unknown' } : undefined)

function taken(): { on: Stage; mine: LockClaim; lockedUntil: number } {
  const [on, mine] = [new Stage(), claim()]
  const end = on.drive(takeLock(mine))
  if (!end?.taken) throw new Error('the lock is free')
  return { on, mine, lockedUntil: end.lockedUntil }
}

describe('a lock that was taken', () => {
  test.each([
    ['renewed', renewLock],
    ['looked at', ownsLock],
  ])('is still owned when the store was silent for a while as it was %s', (_, ask) => {
    const { on, mine, lockedUntil } = taken()
    expect(on.drive(ask(mine, lockedUntil), silentUntil(on, on.now + TTL / 2))).toMatchObject({
      lock: 'owned',
    })
    expect(on.trace).toContain('wait')
  })

  test.each([
    ['renewed', renewLock],
    ['looked at', ownsLock],
  ])('is in doubt, not lost, when the store was silent until its end as it was %s', (_, ask) => {
    const { on, mine, lockedUntil } = taken()
    expect(on.drive(ask(mine, lockedUntil), silentUntil(on, 1e9))).toEqual({ lock: 'unknown' })
    expect(on.now).toBeGreaterThan(lockedUntil - 2)
    expect(on.now).toBeLessThan(lockedUntil)
  })

  test('is lost at once when another has it', () => {
    const { on, mine, lockedUntil } = taken()
    on.put('lock', { ...on.stored('lock'), owner_token: 'other' })
    expect(on.drive(renewLock(mine, lockedUntil))).toEqual({ lock: 'lost' })
    expect(on.drive(ownsLock(mine, lockedUntil))).toEqual({ lock: 'lost' })
    expect(on.trace).not.toContain('wait')
  })

  test('is leased anew from a renewal on', () => {
    const { on, mine, lockedUntil } = taken()
    on.now += TTL / 3
    const renewed = on.drive(renewLock(mine, lockedUntil))
    expect(renewed?.lock === 'owned' && renewed.lockedUntil - lockedUntil).toBeGreaterThan(TTL / 3)
  })
})

describe('a lock whose take was not answered', () => {
  const stale = { hostname: 'old', timestamp: 0 }
  const fresh = () => ({ hostname: 'old', owner_token: 'other', timestamp: 1_000 })
  test.each<[string, object | null, boolean]>([
    ['no lock', null, false],
    ['a stale one', stale, false],
    ['an active one, forced', fresh(), true],
  ])('over %s cannot come any more once it was released', (_, base, force) => {
    const [on, mine] = [new Stage(), claim({ force })]
    if (base !== null) on.put('lock', base)
    let late: WriteEffect | null = null
    on.drive(takeLock(mine), {
      instead: (effect, step) => {
        if (isWrite(effect)) late = effect
        return unanswered?.(effect, step)
      },
    })
    expect(on.drive(releaseLock(mine))).toBe('released')
    expect(on.trace.at(-1)).toBe('withdraw lock')
    expect(on.stored('lock')).toMatchObject({ owner_token: 'mine', released: true })
    expect(on.store.admits('lock', (late as WriteEffect | null)?.ifMatch ?? null)).toBe(false)
  })

  test('is left alone when another has come', () => {
    const [on, mine] = [new Stage(), claim()]
    on.drive(takeLock(mine), { instead: unanswered })
    on.put('lock', fresh())
    expect(on.drive(releaseLock(mine))).toBe('not_ours')
    expect(on.stored('lock').owner_token).toBe('other')
  })

  test('is let go when it comes between the look and the write', () => {
    const [on, mine] = [new Stage(), claim()]
    on.drive(takeLock(mine), { instead: unanswered })
    const comes = { ...OWNER, timestamp: 1_000 }
    const before = (effect: Effect) => {
      if (isWrite(effect) && effect.event === 'withdraw') on.put('lock', comes)
    }
    expect(on.drive(releaseLock(mine), { before })).toBe('released')
    expect(on.stored('lock').released).toBe(true)
  })
})

test('a release pauses between its looks', () => {
  const { on, mine } = taken()
  on.trace.length = 0
  expect(on.drive(releaseLock(mine), silentUntil(on, on.now + 2))).toBe('released')
  expect(on.trace).toEqual(['read lock', 'wait', 'read lock', 'wait', 'read lock', 'release lock'])
})
