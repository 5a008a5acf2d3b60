/** What the scan finds in a real store, what it remembers of it, and what it records. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { heartbeatRequest } from '#contracts/membridge.contract.ts'
import { CONTROL_PLANE_ADMIN } from '#domain/authority/caller.ts'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import { plansOf } from '#server/ledger/testing/plans-of.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { finishSelections } from './finish-selections.ts'
import { readObjects } from './leadership-protocol.ts'
import { knownBefore, writeMirror } from './lease-mirror.ts'
import { listLeadershipHistory } from './list-leadership-history.query.ts'
import { listNodeDetails, listNodes } from './list-nodes.query.ts'
import { recordHeartbeat } from './record-heartbeat.ts'
import { scanLeadership } from './scan-leadership.ts'
import { type TestControlPlane, testControlPlane } from './testing/control-plane.ts'
import { leadershipRoom, partsOf, withCalls } from './testing/leadership-room.ts'

const CID = 'aeeafec3a5b5710f'
const keys = projectKeys(CID)
const LEASE = {
  ...{ canonical_id: CID, primary_node_id: 'alder', issued_by: 'alder', policy: 'primary_authoritative' },
  ...{ issued_at: 1, expires_at: 2, lease_seconds: 3_600, epoch: 5, term: 2, needs_ui_selection: false },
}
let plane: TestControlPlane
beforeAll(async () => {
  plane = await testControlPlane()
})
beforeEach(() => plane.reset())
afterAll(() => plane?.close())

async function room() {
  const made = await leadershipRoom(plane, CID)
  onTestFinished(made.close)
  const worker = partsOf(plane.worker, made.store)
  const scan = async () => {
    await plane.admin(sql`UPDATE membridge_lease SET scanned_at = NULL`)
    return scanLeadership(worker)
  }
  const lease = (change: object = {}) => made.put(keys.lease, JSON.stringify({ ...LEASE, ...change }))
  await plane.beat({ node_id: 'alder', canonical_id: CID })
  return { ...made, worker, scan, lease }
}

const answer = (node_id = 'alder', more = {}) =>
  recordHeartbeat(
    plane,
    { ...heartbeatRequest.parse({ node_id, canonical_id: CID, ...more }), adminKey: true },
    CONTROL_PLANE_ADMIN,
  )
const names = async () =>
  (await plane.events('leadership', CID)).map(({ name, details }) =>
    name === 'leadership.incident' ? details.kind : name,
  )
const mirror = async () =>
  (
    await plane.admin<Record<string, unknown>>(sql`SELECT * FROM membridge_lease WHERE canonical_id = ${CID}`)
  )[0]

describe('a scan', () => {
  it('finds projects that were only named, and tells their nodes what it saw', async () => {
    const { scan, lease, put } = await room()
    expect(await answer()).toMatchObject({ lease_state: 'unreadable', role: 'unknown' })
    expect(await scan()).toBe(1)
    expect(await answer()).toMatchObject({ lease_state: 'absent', role: 'unknown' })
    await lease()
    await put(
      keys.pointer,
      JSON.stringify({
        sha256: 'ab',
        observations: 7,
        term: 2,
        db_size: 99,
        timestamp: '2026-11-23T08:00:00',
      }),
    )
    await scan()
    expect(await answer()).toMatchObject({ lease_state: 'valid', role: 'primary', epoch: 5, term: 2 })
    expect(await mirror()).toMatchObject({
      ...{ pointer_sha256: 'ab', pointer_observations: 7, pointer_term: 2, pointer_db_size: 99 },
      ...{ pointer_pushed_at: Date.UTC(2026, 10, 23, 8) / 1_000, lock_state: 'free', known_holder: 'alder' },
    })
    expect(await names()).toEqual([])
  })

  it('takes a project up once in fifteen seconds, whoever scans', async () => {
    const { worker, scan } = await room()
    expect(await scan()).toBe(1)
    expect(await Promise.all([scanLeadership(worker), scanLeadership(worker)])).toEqual([0, 0])
  })

  it('adds projects once in a round, and tells how far it is behind', async () => {
    const { worker, scan } = await room()
    await scan()
    await plane.beat({ node_id: 'alder', canonical_id: 'new' })
    expect(await scanLeadership(worker, { goesOn: true })).toBe(0)
    expect(await scanLeadership(worker)).toBe(1)
    const warned: unknown[] = []
    const log = { ...worker.log, warn: (details: unknown) => warned.push(details) } as typeof worker.log
    for (const seconds of [61, 59]) {
      await plane.admin(
        sql`UPDATE membridge_lease SET scanned_at = now() - make_interval(secs => ${seconds})`,
      )
      await scanLeadership({ ...worker, log })
    }
    expect(warned).toEqual([{ behind_seconds: 61 }])
  })

  it('asks a store for nothing more once it did not answer, and begins with the rest the next time', async () => {
    const { store, worker } = await room()
    await plane.admin(sql`INSERT INTO membridge_lease (canonical_id, scanned_at)
      SELECT 'p' || n, now() - make_interval(secs => n) FROM generate_series(101, 130) n`)
    const asked: string[] = []
    const silent = withCalls(store, {
      observe: (key) => {
        asked.push(key)
        return Promise.reject(new StorageUnavailable('no answer'))
      },
    })
    expect(await scanLeadership(partsOf(plane.worker, silent))).toBe(8)
    expect(asked).toHaveLength(8)
    expect(await scanLeadership(worker)).toBe(23)
    expect(await scanLeadership(worker)).toBe(0)
  })

  it('reads along an index what is due, and which selections are open', async () => {
    const { worker } = await room()
    await plane.admin(
      sql`INSERT INTO membridge_lease (canonical_id, scanned_at) SELECT 'p' || n, now() FROM generate_series(1, 5000) n`,
    )
    await plane.admin(sql`INSERT INTO membridge_selection (selection_id, status, canonical_id, primary_node_id, lease_seconds, force, epoch, term, lease,
        requested_by, requested_role, requested_via)
      SELECT 's' || n, 'pending', 'p' || n, 'birch', 60, false, 1, 1, '{}', 'x', 'operator', 'console' FROM generate_series(1, 5000) n`)
    await plane.admin(sql`UPDATE membridge_selection SET status = 'promoted', closed_at = now()`)
    await plane.admin(sql`ANALYZE membridge_lease, membridge_selection`)
    const [due, open] = await plansOf(plane.worker, async () => {
      await scanLeadership(worker, { goesOn: true })
      await finishSelections(worker)
    })
    expect(due).toContain('membridge_lease_due')
    expect(due).not.toContain('Sort')
    expect(open).toContain('membridge_selection_pending')
  })

  it('of a store that does not answer makes the roles unknown and forgets no epoch', async () => {
    const { lease, scan, store } = await room()
    await lease()
    await scan()
    const silent = withCalls(store, {
      observe: () => Promise.reject(new StorageUnavailable('no answer')),
    })
    await plane.admin(sql`UPDATE membridge_lease SET scanned_at = NULL`)
    await scanLeadership(partsOf(plane.worker, silent))
    expect(await answer()).toMatchObject({ lease_state: 'unreadable', role: 'unknown', epoch: null })
    expect(await mirror()).toMatchObject({ answered: false, known_epoch: 5, known_term: 2 })
  })

  it('that began before a newer look does not write behind it', async () => {
    const { lease, scan, parts, promote } = await room()
    await lease()
    await scan()
    const before = await knownBefore(plane.db, CID)
    const old = await readObjects(parts, CID)
    await promote({ primary_node_id: 'birch' })
    await writeMirror(plane.db, before, old)
    expect(await answer('birch')).toMatchObject({ role: 'primary', epoch: 6, term: 3 })
  })

  it('records once for each epoch that its lease has expired', async () => {
    const { lease, scan } = await room()
    await lease({ lease_seconds: 0.001 })
    for (let n = 0; n < 3; n++) await scan()
    expect(await names()).toEqual(['leadership.expired'])
    expect(await answer()).toMatchObject({ role: 'secondary', lease_state: 'expired' })
    await lease({ lease_seconds: 0.001, epoch: 6 })
    await scan()
    expect(await names()).toEqual(['leadership.expired', 'leadership.expired'])
  })

  it('fences a term that was taken over by a node which was killed before its fence', async () => {
    const { lease, scan, put, json } = await room()
    await put(keys.pointer, JSON.stringify({ sha256: 'ab', term: 1, colour: 'green' }))
    await lease()
    await scan()
    expect(await json(keys.pointer)).toMatchObject({ sha256: 'ab', term: 2, colour: 'green' })
  })
})

describe('what conditional writes cannot have led to', () => {
  const incidents = async () => (await mirror())?.incidents as { kind: string }[]

  it.each([
    [
      'an epoch and a term that went back',
      { epoch: 3, term: 1 },
      ['epoch_regression', 'term_regression', 'pointer_above_lease'],
    ],
    ['two holders of a term', { epoch: 6, primary_node_id: 'birch' }, ['two_holders']],
    ['a term that was dropped', { epoch: 6, term: undefined }, ['term_dropped']],
  ])('%s: recorded once, stands until a person selects', async (_name, change, kinds) => {
    const { lease, scan, promote } = await room()
    await lease()
    await scan()
    await lease(change)
    for (let n = 0; n < 3; n++) await scan()
    expect(await names()).toEqual(kinds)
    expect((await incidents()).map(({ kind }) => kind)).toEqual(kinds)
    expect(await promote()).toMatchObject({ ok: true })
    await scan()
    expect(await incidents()).toEqual([])
    expect(await names()).toEqual([...kinds, 'leadership.promoted'])
  })

  it('a lease that vanished', async () => {
    const { lease, scan, store, promote } = await room()
    await lease()
    await scan()
    await store.remove(keys.lease)
    for (let n = 0; n < 2; n++) await scan()
    expect(await names()).toEqual(['lease_vanished'])
    expect(await promote()).toMatchObject({ value: { epoch: 6, term: 3 } })
  })

  it('is not read out of a lease that cannot be read, nor ended by it', async () => {
    const { lease, scan, put } = await room()
    await lease()
    await scan()
    await lease({ epoch: 3 })
    await scan()
    await put(keys.lease, '[]')
    await scan()
    expect(await names()).toEqual(['epoch_regression'])
    expect(await incidents()).toHaveLength(1)
  })

  it('takes texts of any form', async () => {
    const { lease, scan } = await room()
    await lease({ primary_node_id: `a\0${'b'.repeat(5_000)}`, issued_by: 7 })
    await scan()
    expect(await answer()).toMatchObject({ role: 'secondary', lease_state: 'valid' })
  })
})

describe('texts that the ledger stores nowhere', () => {
  it.each([
    ['a NUL', 'al\0der', 'al\ufffdder'],
    ['half a character', 'alder\ud83c', 'alder\ufffd'],
  ])(
    '%s in the holder: what it shows is recorded, and it is nobody else’s name',
    async (_, holder, shown) => {
      const { lease, scan, promote } = await room()
      await lease()
      await scan()
      await lease({ epoch: 6, primary_node_id: holder, lease_seconds: 0.001 })
      for (let n = 0; n < 2; n++) await scan()
      expect(await names()).toEqual(['two_holders', 'leadership.expired'])
      expect(await mirror()).toMatchObject({ holder: shown, incidents: [{ holders: ['alder', shown] }] })
      expect(await answer()).toMatchObject({ role: 'secondary' })
      expect(await promote({ expected_epoch: 1 })).toMatchObject({ refusal: { code: 'EPOCH_STALE' } })
      expect(await promote()).toMatchObject({ value: { epoch: 7, term: 3 } })
    },
  )

  it('in the lock: whoever would wait for it is refused with its name', async () => {
    const { lease, put, promote } = await room()
    await lease()
    await put(keys.lock, JSON.stringify({ timestamp: Date.now() / 1_000, hostname: 'bir\0ch', term: 2 }))
    expect(await promote({ primary_node_id: 'birch', force: false })).toMatchObject({
      refusal: { code: 'PUSH_IN_FLIGHT', details: { lock: { node_id: 'bir\ufffdch' } } },
    })
  })

  it('a holder longer than any name is the same one at every look', async () => {
    const { lease, scan } = await room()
    await lease({ primary_node_id: '🌱'.repeat(5_000) })
    for (let n = 0; n < 2; n++) await scan()
    expect(await names()).toEqual([])
  })
})

describe('a node with leadership off', () => {
  it('has no role, and the console is shown why', async () => {
    const { lease, scan } = await room()
    await lease()
    await scan()
    expect(await answer('alder', { leadership_enabled: false })).toMatchObject({
      ...{ role: 'unknown', lease_state: 'valid', epoch: 5 },
    })
    expect(await listNodeDetails(plane, { cid: CID })).toMatchObject([
      { role: 'unknown', leadership_enabled: false },
    ])
    expect(Object.keys((await listNodes(plane, { cid: CID }))[0] ?? {})).not.toContain('leadership_enabled')
    expect(await answer('alder')).toMatchObject({ role: 'primary' })
  })
})

describe('the history', () => {
  it('is the audit’s, newest first and by pages', async () => {
    const [{ promote }, cid] = [await room(), 'history']
    for (const primary_node_id of ['alder', 'birch', 'alder']) await promote({ cid, primary_node_id })
    await promote({ cid, expected_epoch: 1 })
    const first = await listLeadershipHistory(plane, { cid, limit: 2 })
    expect(first.items.map(({ name, outcome, error_code }) => [name, outcome, error_code])).toEqual([
      ['leadership.refused', 'refused', 'EPOCH_STALE'],
      ['leadership.promoted', 'ok', null],
    ])
    const cursor = first.next_cursor ?? ''
    const { items, next_cursor } = await listLeadershipHistory(plane, { cid, limit: 10, cursor })
    expect(items.map(({ details, actor, reason }) => [details.epoch, actor, reason])).toEqual([
      [2, 'operator:ann', 'alder is away'],
      [1, 'operator:ann', 'alder is away'],
    ])
    expect(next_cursor).toBeNull()
  })
})
