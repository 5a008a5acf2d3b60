/** A promotion by a person over a real ledger and a real store: what must be accepted, what must be confirmed, and who hears why not. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ConditionsReport } from '#server/objects/store-conditions.ts'
import { callerFor, OPERATOR, OWNER, refusalOfCall } from '#server/trpc/testing.ts'
import { type TestControlPlane, testControlPlane } from './testing/control-plane.ts'
import { operator, withCalls } from './testing/leadership-room.ts'
import { asking, CID, consoleRoom, KEYS, ledByAlder } from './testing/people.ts'

let plane: TestControlPlane
beforeAll(async () => {
  plane = await testControlPlane()
})
beforeEach(() => plane.reset())
afterAll(() => plane?.close())

const primary = async ({ leadership }: Pick<Awaited<ReturnType<typeof ledByAlder>>, 'leadership'>) =>
  (await leadership.get({ cid: CID })).primary_node_id
const EQUAL = { alder: 100, birch: 100 }

describe('a promotion', () => {
  it('that loses nothing needs no password, and tells epoch, term and who it was', async () => {
    const { leadership } = await ledByAlder(plane, EQUAL)
    expect(await leadership.promote(asking())).toMatchObject({
      primary_node_id: 'birch',
      epoch: 2,
      term: 2,
      known_node: true,
    })
    const { items } = await leadership.history({ cid: CID, limit: 2 })
    expect(items).toMatchObject([
      {
        name: 'leadership.promoted',
        actor: OPERATOR.identity,
        reason: 'alder is away',
        details: { epoch: 2, term: 2, primary_node_id: 'birch' },
      },
      { name: 'leadership.promoted', details: { primary_node_id: 'alder' } },
    ])
  })

  it.each([
    ['', 'too short'],
    ['ab', 'too short'],
    ['  a  ', 'trimmed'],
  ])('with the reason "%s" is refused: %s', async (reason) => {
    const made = await ledByAlder(plane, EQUAL)
    expect(await refusalOfCall(made.leadership.promote(asking({ reason })))).toMatchObject({
      code: 'VALIDATION_FAILED',
    })
    expect(await primary(made)).toBe('alder')
  })

  it.each<[string, Parameters<typeof ledByAlder>[1], number | null, number | null]>([
    ['12 were never pushed', { alder: 112, birch: 100 }, 0, 12],
    ['12 were never pushed and fewer were accepted', { alder: 112, birch: 100 }, 11, 12],
    ['the target lacks 30', { alder: 100, birch: 70 }, 0, 30],
    ['a known loss was accepted as unknown', { alder: 112, birch: 100 }, null, 12],
    ['nobody knows', { alder: null, birch: 100 }, 0, null],
    ['nobody knows, and a number was accepted', { alder: 100, birch: null }, 500, null],
  ])('where %s is refused with the loss, and nothing is written', async (_, counts, accepted, loss) => {
    const made = await ledByAlder(plane, counts)
    const refusal = await refusalOfCall(made.trusted.promote(asking({ accepted_loss: accepted })))
    // A node that never reported keeps what it is known to hold.
    expect(refusal).toMatchObject({ code: 'CONCURRENT_MODIFICATION', details: { loss } })
    expect(await primary(made)).toBe('alder')
  })

  it.each<[string, Parameters<typeof ledByAlder>[1], number | null]>([
    ['a loss', { alder: 112, birch: 100 }, 12],
    ['a loss that nobody knows', { alder: 100, birch: null }, null],
  ])('with %s accepted needs the password', async (_, counts, accepted_loss) => {
    const made = await ledByAlder(plane, counts)
    expect(await refusalOfCall(made.leadership.promote(asking({ accepted_loss })))).toMatchObject({
      code: 'STEP_UP_REQUIRED',
    })
    expect(await primary(made)).toBe('alder')
    expect(await made.trusted.promote(asking({ accepted_loss }))).toMatchObject({ primary_node_id: 'birch' })
  })

  it('from a stale page is refused with who won, before anything is asked of whoever sends it', async () => {
    const made = await ledByAlder(plane, { alder: 112, birch: 70 })
    await made.as(true, operator('bob')).promote(asking({ accepted_loss: 42 }))
    await made.beat('birch', 130)
    const refusal = await refusalOfCall(made.leadership.promote(asking({ primary_node_id: 'alder' })))
    expect(refusal).toMatchObject({
      code: 'EPOCH_STALE',
      details: { lease: { primary_node_id: 'birch', epoch: 2 }, selected_by: 'operator:bob' },
    })
    expect((await made.leadership.history({ cid: CID })).items[0]).toMatchObject({
      ...{ name: 'leadership.refused', outcome: 'refused', error_code: 'EPOCH_STALE' },
    })
  })

  it('of two of one epoch takes effect once', async () => {
    const made = await ledByAlder(plane, EQUAL)
    const both = [operator('ann'), operator('bob')].map((caller, n) =>
      made.as(true, caller).promote(asking({ primary_node_id: n === 0 ? 'birch' : 'alder' })),
    )
    const ended = await Promise.allSettled(both)
    expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(
      await refusalOfCall(both[ended[0]?.status === 'rejected' ? 0 : 1] as Promise<unknown>),
    ).toMatchObject({ code: 'EPOCH_STALE' })
  })

  it('over a lease that nobody was shown is refused', async () => {
    const made = await ledByAlder(plane, EQUAL)
    expect(
      await refusalOfCall(made.trusted.promote(asking({ expected_epoch: 0, force: true }))),
    ).toMatchObject({ code: 'EPOCH_STALE' })
    expect(await refusalOfCall(made.trusted.promote(asking({ expected_epoch: 7 })))).toMatchObject({
      code: 'EPOCH_STALE',
    })
  })
})

describe('force', () => {
  const lock = () =>
    JSON.stringify({
      node_id: 'alder',
      owner_token: 'a',
      timestamp: Math.floor(Date.now() / 1000) - 30,
      ttl_seconds: 7200,
    })

  it('is needed while the primary pushes, and the password with it', async () => {
    const made = await ledByAlder(plane, EQUAL)
    await made.put(KEYS.lock, lock())
    expect(await made.leadership.get({ cid: CID })).toMatchObject({
      lock: { state: 'active', node_id: 'alder' },
    })
    expect(await refusalOfCall(made.leadership.promote(asking()))).toMatchObject({
      code: 'PUSH_IN_FLIGHT',
      details: { lock: { node_id: 'alder', age_seconds: expect.any(Number) } },
    })
    expect(await refusalOfCall(made.leadership.promote(asking({ force: true })))).toMatchObject({
      code: 'STEP_UP_REQUIRED',
    })
    expect(await made.trusted.promote(asking({ force: true }))).toMatchObject({
      primary_node_id: 'birch',
      term: 2,
    })
  })

  it('replaces a lease that cannot be read, with the password and the loss accepted as unknown', async () => {
    const made = await ledByAlder(plane, EQUAL)
    await made.put(KEYS.lease, '{"epoch": "3"')
    const forced = asking({ expected_epoch: 0, accepted_loss: null })
    expect(await refusalOfCall(made.trusted.promote(forced))).toMatchObject({ code: 'LEASE_UNKNOWN' })
    const refusal = await refusalOfCall(made.leadership.promote({ ...forced, force: true }))
    expect(refusal).toMatchObject({ code: 'STEP_UP_REQUIRED' })
    expect(await made.trusted.promote({ ...forced, force: true })).toMatchObject({ epoch: 2, term: 2 })
  })

  it('from a stale page replaces nothing, also a lease that is damaged after it was judged', async () => {
    const made = await ledByAlder(plane, EQUAL)
    const damaged = withCalls(made.store, {
      observe: async (key) => {
        const seen = await made.store.observe(key)
        if (key === KEYS.lease) await made.put(key, '[]')
        return seen
      },
    })
    const stale = asking({ expected_epoch: 0, force: true })
    const { leadership } = callerFor({ ...made.services, store: damaged }, OPERATOR)
    expect(await refusalOfCall(leadership.promote(stale))).toMatchObject({ code: 'LEASE_UNKNOWN' })
  })
})

it('on a store that does not keep conditions is refused with its one sentence, and reading goes on', async () => {
  const made = await ledByAlder(plane, EQUAL)
  const verdict = { verdict: 'unfit', refusal: 'No conditions.' } as const
  const report: ConditionsReport = {
    ...{ ok: false, store: 'test', probedAt: new Date(), ...verdict },
    checks: [{ name: 'a stale replace is refused', ok: false }],
  }
  const storeConditions = { last: () => report, probe: async () => report, ensure: async () => report }
  const unfit = callerFor({ ...made.services, storeConditions }, OPERATOR).leadership
  expect(await unfit.get({ cid: CID })).toMatchObject({
    primary_node_id: 'alder',
    store_refusal: 'No conditions.',
  })
  expect(await refusalOfCall(unfit.promote(asking()))).toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
    message: 'No conditions.',
  })
})

it('an override is granted by the owner with the password, and stands in the history', async () => {
  const made = await consoleRoom(plane)
  const grant = {
    cid: CID,
    node_id: 'birch',
    override: 'FORCE_PUSH',
    ttl_seconds: 900,
    reason: 'lock is stuck',
  } as const
  expect(await refusalOfCall(made.trusted.grant(grant))).toMatchObject({ code: 'FORBIDDEN' })
  expect(await refusalOfCall(made.as(false, OWNER).grant(grant))).toMatchObject({ code: 'STEP_UP_REQUIRED' })
  expect(await made.as(true, OWNER).grant(grant)).toMatchObject({
    node_id: 'birch',
    override: 'FORCE_PUSH',
    granted_by: 'owner',
  })
  const { items } = await made.leadership.history({ cid: CID, limit: 1 })
  expect(items).toMatchObject([{ name: 'leadership.granted', reason: 'lock is stuck' }])
})
