import { describe, expect, test } from 'vitest'
import { NOTHING_KNOWN } from './known-terms.rules.ts'
import type { Answer, Effect } from './protocol-effects.ts'
import type { PushSettings } from './push-authority.ts'
import { push } from './push-protocol.ts'
import { type Script, Stage } from './testing/drive.ts'

const NODE = { nodeId: 'alder', canonicalId: 'cid', primaryNodeId: null, leaseSeconds: 100 }
const settings = (change: Partial<PushSettings> = {}): PushSettings => ({
  node: NODE,
  hostname: 'alder.local',
  project: 'mem',
  lock: { ttlSeconds: 60, graceSeconds: 5 },
  known: NOTHING_KNOWN,
  leadership: true,
  allowSecondary: false,
  force: false,
  ...change,
})

const LEASE = {
  canonical_id: 'cid',
  primary_node_id: 'alder',
  issued_at: 0,
  expires_at: 100,
  lease_seconds: 100,
  epoch: 5,
  term: 2,
}
function stage(lease: object = LEASE): Stage {
  const made = new Stage()
  made.put('lease', lease)
  made.put('pointer', { sha256: 'old', observations: 3, push_id: 'base', epoch: 5, term: 2, recent: [] })
  return made
}
const SAME = { sha256: 'same', contentSha256: 'same', observations: 10, dbKey: 'db/same.db', fields: {} }
const at =
  (name: string, answer: Answer): Script['instead'] =>
  (effect) =>
    (effect.effect === 'write' ? `${effect.event} ${effect.object}` : effect.effect) === name
      ? answer
      : undefined
const once = (happen: () => void, when: (effect: Effect) => boolean): Script['before'] => {
  let done = false
  return (effect) => {
    if (done || !when(effect)) return
    done = true
    happen()
  }
}

describe('a push', () => {
  test('does its steps in order, and reads pointer, lease and lock before it writes the pointer', () => {
    const on = stage()
    expect(on.drive(push(settings()))).toMatchObject({
      outcome: 'pushed',
      exit: 0,
      term: 2,
      lock: 'released',
    })
    const role = ['read pointer', 'nonce', 'monotonic', 'read lease']
    expect(on.trace).toEqual([
      ...role,
      'snapshot',
      ...role,
      'nonce',
      'monotonic',
      'read lock',
      'acquire lock',
      'upload',
      'nonce',
      ...role,
      'read lock',
      'monotonic',
      'commit pointer',
      'mirror',
      'read lock',
      'release lock',
    ])
    expect(on.stored('lock')).toMatchObject({ released: true, timestamp: 0 })
    expect(on.stored('pointer')).toMatchObject({
      sha256: 'snapshot-0',
      previous_sha256: 'old',
      node_id: 'alder',
      term: 2,
      epoch: 5,
    })
  })

  test('on an empty store bootstraps the lease first', () => {
    const on = new Stage()
    expect(on.drive(push(settings()))).toMatchObject({ outcome: 'pushed', term: 1 })
    expect(on.trace).toContain('audit bootstrap')
    expect(on.stored('lease')).toMatchObject({ primary_node_id: 'alder', epoch: 1, needs_ui_selection: true })
  })

  test('is refused where another leads, before anything is written', () => {
    const on = stage({ ...LEASE, primary_node_id: 'birch' })
    expect(on.drive(push(settings()))).toMatchObject({ exit: 3, message: 'secondary_push_blocked' })
    expect(on.trace.filter((step) => !step.startsWith('read'))).toEqual(['nonce', 'monotonic'])
  })

  test('of a secondary with the override carries the term of the primary', () => {
    const on = stage({ ...LEASE, primary_node_id: 'birch' })
    expect(on.drive(push(settings({ allowSecondary: true })))).toMatchObject({ outcome: 'pushed', term: 2 })
  })

  test('without leadership reads no lease and keeps the term that is there', () => {
    const on = stage({ ...LEASE, primary_node_id: 'birch', term: 9 })
    expect(on.drive(push(settings({ leadership: false })))).toMatchObject({ outcome: 'pushed', term: 2 })
    expect(on.trace).not.toContain('read lease')
  })

  const selected = { ...LEASE, primary_node_id: 'birch', epoch: 6, term: 3 }
  test.each<[string, (effect: Effect) => boolean]>([
    ['during the snapshot', (effect) => effect.effect === 'snapshot'],
    ['during the upload', (effect) => effect.effect === 'upload'],
    ['right before the pointer', (effect) => effect.effect === 'write' && effect.event === 'commit'],
  ])('whose node is replaced %s is stale', (_, when) => {
    const on = stage()
    const replace = () => {
      on.put('lease', selected)
      on.put('pointer', { ...on.stored('pointer'), epoch: 6, term: 3 })
    }
    const end = on.drive(push(settings()), { before: once(replace, when) })
    expect(end).toMatchObject({ exit: 3, message: 'stale_term', term: 2, found: 3 })
    expect(on.stored('pointer')).toMatchObject({ sha256: 'old', term: 3 })
    expect(on.stored('lock')?.released ?? true).toBe(true)
  })

  test('whose lock was taken meanwhile stops before the pointer', () => {
    const on = stage()
    const steal = () => on.put('lock', { ...on.stored('lock'), owner_token: 'other' })
    const end = on.drive(push(settings()), { before: once(steal, (effect) => effect.effect === 'upload') })
    expect(end).toMatchObject({ outcome: 'failed', message: 'lock_lost', lock: 'not_ours' })
    expect(on.stored('lock').owner_token).toBe('other')
  })

  test('that slept past its trust window looks again before it writes', () => {
    const on = stage()
    const sleep = () => {
      on.now += 300
    }
    const isLastCheck = (effect: Effect) => effect.effect === 'monotonic' && on.trace.at(-1) === 'read lock'
    expect(on.drive(push(settings()), { before: once(sleep, isLastCheck) })).toMatchObject({
      outcome: 'pushed',
    })
    expect(on.trace.slice(on.trace.indexOf('upload'))).toContain('renew lease')
  })

  test('that waits for its upload renews its lock', () => {
    const on = stage()
    let waits = 0
    const end = on.drive(push(settings()), {
      instead: (effect) => (effect.effect === 'upload' && waits++ < 2 ? 'going' : undefined),
    })
    expect(end).toMatchObject({ outcome: 'pushed' })
    expect(on.trace.filter((step) => step === 'renew lock')).toHaveLength(2)
  })

  test.each<[string, Answer, object]>([
    ['snapshot', null, { message: 'snapshot_failed', lock: 'not_taken' }],
    ['upload', 'failed', { message: 'upload_failed', lock: 'released' }],
    ['mirror', 'failed', { outcome: 'mirror_incomplete', exit: 1, lock: 'released' }],
    ['acquire lock', { answer: 'unknown' }, { message: 'lock_unknown', lock: 'released' }],
    ['commit pointer', { answer: 'unknown' }, { outcome: 'unknown', exit: 1, lock: 'released' }],
    ['release lock', { answer: 'unknown' }, { outcome: 'pushed', lock: 'unknown' }],
  ])('whose %s is answered with %j', (name, answer, expected) => {
    expect(stage().drive(push(settings()), { instead: at(name, answer) })).toMatchObject(expected)
  })

  test('of what is there already writes nothing, while the mirror has it', () => {
    const on = stage()
    const same = { instead: at('snapshot', { ...SAME }) }
    on.put('pointer', { ...on.stored('pointer'), sha256: 'same' })
    on.store.mirror()
    expect(on.drive(push(settings()), same)).toMatchObject({ outcome: 'up_to_date', lock: 'not_taken' })
    expect(on.trace.at(-1)).toBe('mirror_sha')
  })

  test.each<[string, Answer, object]>([
    ['stored', undefined as never, { outcome: 'up_to_date', exit: 0, lock: 'released' }],
    ['failed', 'failed', { outcome: 'mirror_incomplete', exit: 1, pushId: null, lock: 'released' }],
  ])('run again after a mirror was left behind mirrors under the lock: %s', (_, mirror, expected) => {
    const on = stage()
    on.put('pointer', { ...on.stored('pointer'), sha256: 'same' })
    const end = on.drive(push(settings()), {
      instead: (effect) =>
        effect.effect === 'snapshot' ? SAME : effect.effect === 'mirror' ? mirror : undefined,
    })
    expect(end).toMatchObject(expected)
    expect(on.trace.slice(-6)).toEqual([
      'read lock',
      'acquire lock',
      'mirror_sha',
      'mirror',
      'read lock',
      'release lock',
    ])
    expect(on.store.mirrored).toBe(mirror === 'failed' ? null : 'same')
  })

  test('that finds its content in the pointer after the upload looks at the mirror, too', () => {
    const on = stage()
    const other = () => on.put('pointer', { ...on.stored('pointer'), sha256: 'snapshot-0' })
    const end = on.drive(push(settings()), { before: once(other, ({ effect }) => effect === 'upload') })
    expect(end).toMatchObject({ outcome: 'up_to_date', lock: 'released' })
    expect(on.store.mirrored).toBe('snapshot-0')
  })

  test('stops where the remote copy holds more, unless it is forced', () => {
    const on = stage()
    on.put('pointer', { ...on.stored('pointer'), observations: 11 })
    expect(on.drive(push(settings()))).toMatchObject({ message: 'remote_ahead', lock: 'not_taken' })
    expect(on.drive(push(settings({ force: true })))).toMatchObject({ outcome: 'pushed' })
  })

  test('meets an active lock, and replaces it when forced, with a record', () => {
    const on = stage()
    on.put('lock', { hostname: 'old', timestamp: on.now })
    const by = { state: 'active', holder: 'old', ttlSeconds: 60 }
    expect(on.drive(push(settings()))).toMatchObject({ message: 'lock_active', by, lock: 'not_ours' })
    expect(on.drive(push(settings({ force: true })))).toMatchObject({ outcome: 'pushed', lock: 'released' })
    expect(on.trace).toContain('audit override_used')
  })

  test.each<[string, Partial<PushSettings>, (string | null)[]]>([
    ['a primary', {}, []],
    ['a primary that may do what it need not', { allowSecondary: true }, []],
    ['a primary with force', { force: true }, ['FORCE_PUSH']],
    ['a secondary', { node: { ...NODE, nodeId: 'birch' }, allowSecondary: true }, ['ALLOW_SECONDARY_PUSH']],
    [
      'a secondary with force',
      { node: { ...NODE, nodeId: 'birch' }, allowSecondary: true, force: true },
      ['ALLOW_SECONDARY_PUSH, FORCE_PUSH'],
    ],
    ['leadership off', { leadership: false }, []],
  ])('by %s records each override in use, once', (_name, change, recorded) => {
    const reasons: (string | null)[] = []
    const on = stage()
    const end = on.drive(push(settings(change)), {
      before: (effect) => effect.effect === 'audit' && reasons.push(effect.reason),
    })
    expect(end).toMatchObject({ outcome: 'pushed' })
    expect(reasons).toEqual(recorded)
  })

  test('lets its lock go even when the program fails beneath it', () => {
    const on = stage()
    const running = push(settings())
    on.drive(running, { killAt: 13 })
    expect(on.stored('lock').released).toBeUndefined()
    expect(running.throw(new Error('disk'))).toMatchObject({ value: { effect: 'read', object: 'lock' } })
  })
})
