/** Selection of a primary over a real ledger and a real store: what it writes, whom it refuses, and that nothing of it is told twice. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { selectPrimaryRequest } from '#contracts/leadership.contract.ts'
import { heartbeatRequest } from '#contracts/membridge.contract.ts'
import { CONTROL_PLANE_ADMIN } from '#domain/authority/caller.ts'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import { ObjectConflict, StorageUnavailable } from '#server/ports/object-store.ts'
import { finishSelections } from './finish-selections.ts'
import { listNodes } from './list-nodes.query.ts'
import { promotePrimary } from './promote-primary.ts'
import { readLeadership } from './read-leadership.query.ts'
import { recordHeartbeat } from './record-heartbeat.ts'
import { type TestControlPlane, testControlPlane } from './testing/control-plane.ts'
import { leadershipRoom, operator, partsOf, withCalls } from './testing/leadership-room.ts'

const CID = 'aeeafec3a5b5710f'
const keys = projectKeys(CID)
let plane: TestControlPlane
beforeAll(async () => {
  plane = await testControlPlane()
})
beforeEach(() => plane.reset())
afterAll(() => plane?.close())

async function room() {
  const made = await leadershipRoom(plane, CID)
  onTestFinished(made.close)
  return made
}

const events = async () => (await plane.events('leadership', CID)).map(({ name }) => name)
const answerOf = (node_id: string) =>
  recordHeartbeat(
    plane,
    { ...heartbeatRequest.parse({ node_id, canonical_id: CID }), adminKey: true },
    CONTROL_PLANE_ADMIN,
  )
const roles = async () =>
  Object.fromEntries((await listNodes(plane, { cid: CID })).map((node) => [node.node_id, node.role]))

describe('a selection', () => {
  it('writes lease, fence, one audit object and one event, and both roles are right at once', async () => {
    const { promote, json, audits } = await room()
    await plane.beat({ node_id: 'alder', canonical_id: CID })
    await plane.beat({ node_id: 'birch', canonical_id: CID })
    await promote({ primary_node_id: 'alder' })
    expect(await roles()).toEqual({ alder: 'primary', birch: 'secondary' })
    const answer = await promote()
    expect(answer).toMatchObject({
      ok: true,
      value: { epoch: 2, term: 2, known_node: true, lease: { primary_node_id: 'birch' } },
    })
    expect(await answerOf('alder')).toMatchObject({ role: 'secondary', lease_state: 'valid', epoch: 2 })
    expect(await answerOf('birch')).toMatchObject({ role: 'primary', lease_state: 'valid', term: 2 })
    expect(await roles()).toEqual({ alder: 'secondary', birch: 'primary' })
    expect(await json(keys.pointer)).toMatchObject({ sha256: null, term: 2 })
    expect(await audits()).toHaveLength(2)
    expect(await events()).toEqual(['leadership.promoted', 'leadership.promoted'])
  })

  it('of a node that was never heard of is accepted and says so; the admin key needs no reason', async () => {
    const { promote } = await room()
    expect(await promote({ reason: null }, CONTROL_PLANE_ADMIN)).toMatchObject({
      value: { known_node: false },
    })
    expect(await plane.events('leadership', CID)).toMatchObject([
      { actor: 'membridge', details: { primary_node_id: 'birch', epoch: 1, term: 1 } },
    ])
  })

  it('upon another epoch than was shown is refused with the winner and who selected it', async () => {
    const { promote } = await room()
    await promote({}, operator('bob'))
    expect(await promote({ primary_node_id: 'cedar', expected_epoch: 0 })).toMatchObject({
      refusal: {
        code: 'EPOCH_STALE',
        details: { lease: { primary_node_id: 'birch', epoch: 1 }, selected_by: 'operator:bob' },
      },
    })
    expect(await events()).toEqual(['leadership.promoted', 'leadership.refused'])
  })
})

it('a lost race of which the winner cannot be read says that, not that there is no lease', async () => {
  const { store, put, promote } = await room()
  await promote({ primary_node_id: 'alder' })
  let isLost = false
  let looks = 0
  const raced = withCalls(store, {
    replace: async (key) => {
      const { bytes = new Uint8Array() } = (await store.get(key)) ?? {}
      await put(key, JSON.stringify({ ...JSON.parse(new TextDecoder().decode(bytes)), epoch: 2, nonce: 'x' }))
      isLost = true
      throw new ObjectConflict(key)
    },
    observe: (key) =>
      isLost && ++looks > 1 ? Promise.reject(new StorageUnavailable('no answer')) : store.observe(key),
  })
  const { storeConditions } = partsOf(plane.db, store)
  const request = selectPrimaryRequest.parse({ cid: CID, primary_node_id: 'birch', expected_epoch: 1 })
  const parts = { ...partsOf(plane.db, raced), storeConditions }
  expect(await promotePrimary(parts, request, operator('ann'))).toMatchObject({
    refusal: { code: 'EPOCH_STALE', message: expect.stringContaining('could not be read') },
  })
})

describe('a store', () => {
  it('that does not keep conditions is refused with its one sentence, and nothing is written', async () => {
    const { store, json } = await room()
    const checks = [{ name: 'create-only', ok: false }]
    const careless = withCalls(store, { probe: async () => ({ ok: false, store: 'careless', checks }) })
    const request = selectPrimaryRequest.parse({ cid: CID, primary_node_id: 'birch' })
    expect(await promotePrimary(partsOf(plane.db, careless), request, operator('ann'))).toMatchObject({
      refusal: {
        code: 'STORAGE_UNAVAILABLE',
        message: 'The object store does not keep conditional writes: create-only.',
      },
    })
    expect(await json(keys.lease)).toBeUndefined()
    expect(await events()).toEqual(['leadership.refused'])
    expect(await readLeadership(partsOf(plane.db, careless), { cid: CID })).toMatchObject({ ok: true })
  })

  it('that takes a lease and does not say so leaves the outcome to the scan', async () => {
    const { store, promote, json } = await room()
    await promote({ primary_node_id: 'alder' })
    let writes = 0
    const silence = () => Promise.reject(new StorageUnavailable('no answer'))
    const forgetful = withCalls(store, {
      observe: (key) => (writes > 0 ? silence() : store.observe(key)),
      replace: async (...args) => {
        writes += 1
        await store.replace(...args)
        return silence()
      },
    })
    const asked = selectPrimaryRequest.parse({ cid: CID, primary_node_id: 'birch', reason: 'tests' })
    const parts = {
      ...partsOf(plane.db, forgetful),
      storeConditions: partsOf(plane.db, store).storeConditions,
    }
    const answer = await promotePrimary(parts, asked, operator('ann'))
    expect(answer).toMatchObject({ refusal: { code: 'STORAGE_UNAVAILABLE' } })
    expect(await json(keys.lease)).toMatchObject({ primary_node_id: 'birch' })
    // Nor is it ended without its audit object.
    const full = partsOf(plane.worker, withCalls(store, { create: silence }))
    expect(await finishSelections(full)).toBe(0)
    expect(await events()).toEqual(['leadership.promoted'])
    expect(await finishSelections(partsOf(plane.worker, store))).toBe(1)
    expect(await events()).toEqual(['leadership.promoted', 'leadership.promoted'])
    expect((await plane.events('leadership', CID)).at(-1)).toMatchObject({ actor: 'operator:ann' })
    expect(await answerOf('birch')).toMatchObject({ role: 'primary' })
  })
})

it('open selections wait for a store that does not answer, behind one look', async () => {
  const { store } = await room()
  await plane.admin(sql`INSERT INTO membridge_selection (selection_id, status, canonical_id, primary_node_id, lease_seconds, force, epoch, term, lease,
      requested_by, requested_role, requested_via)
    SELECT 's' || n, 'pending', 'p' || n, 'birch', 60, false, 1, 1, '{}', 'x', 'operator', 'console' FROM generate_series(1, 9) n`)
  let looks = 0
  const silent = withCalls(store, {
    observe: () => {
      looks += 1
      return Promise.reject(new StorageUnavailable('no answer'))
    },
  })
  const { storeConditions } = partsOf(plane.worker, store)
  expect(await finishSelections({ ...partsOf(plane.worker, silent), storeConditions })).toBe(0)
  expect(looks).toBe(1)
})

describe('leadership as it is read', () => {
  it('is absent where there is no lease, and a heartbeat then says so', async () => {
    const { parts } = await room()
    expect(await readLeadership(parts, { cid: CID })).toMatchObject({
      value: { lease: null, lease_state: 'absent', epoch: null, nodes: [], pointer: { sha256: null } },
    })
    expect(await answerOf('alder')).toMatchObject({ role: 'unknown', lease_state: 'absent', epoch: null })
  })

  it('expires by the ledger’s clock, and then everybody is secondary', async () => {
    const { promote } = await room()
    await promote({ lease_seconds: 60 })
    await plane.beat({ node_id: 'birch', canonical_id: CID })
    await plane.admin(sql`UPDATE membridge_lease SET observed_at = observed_at - interval '61 seconds'`)
    expect(await answerOf('birch')).toMatchObject({ role: 'secondary', lease_state: 'expired', epoch: 1 })
    expect(await roles()).toEqual({ birch: 'secondary' })
  })
})
