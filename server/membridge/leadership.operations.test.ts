/** Leadership as people have it: the procedures of the console, as the web process runs them, over a real ledger and a real store. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { callerFor, OPERATOR, OWNER, refusalOfCall } from '#server/trpc/testing.ts'
import { registerProject } from './register-project.ts'
import { type TestControlPlane, testControlPlane } from './testing/control-plane.ts'
import { CID, consoleRoom, KEYS, ledByAlder, SHA } from './testing/people.ts'

let plane: TestControlPlane
beforeAll(async () => {
  plane = await testControlPlane()
})
beforeEach(() => plane.reset())
afterAll(() => plane?.close())

describe('the list', () => {
  it('tells every project from the mirror, without asking the store', async () => {
    const { services, leadership } = await ledByAlder(plane, { alder: 112, birch: 100 })
    await leadership.get({ cid: CID })
    const deaf = new Proxy({}, { get: () => () => Promise.reject(new Error('the store was asked')) }) as never
    const { items } = await callerFor({ ...services, store: deaf }, OPERATOR).leadership.list({})
    expect(items).toMatchObject([
      {
        ...{ canonical_id: CID, name: 'garden-seedling', lease_state: 'valid', primary_node_id: 'alder' },
        ...{ primary_online: true, epoch: 1, term: 1, needs_ui_selection: false, nodes: 2, nodes_online: 2 },
        pointer: {
          state: 'present',
          sha256: SHA,
          observations: 100,
          pushed_by: 'alder',
          pushed_at: 1_750_000_000,
        },
        lock: { state: 'free' },
      },
    ])
    expect(items[0]?.ttl_seconds).toBeGreaterThan(3_500)
  })

  it('tells a project that no look has reached yet, and walks on by cursor', async () => {
    const { leadership } = await consoleRoom(plane)
    for (const name of ['one', 'two', 'three']) await registerProject({ db: plane.db }, { name }, OWNER)
    const first = await leadership.list({ limit: 2 })
    expect(first.items.map(({ name, lease_state }) => [name, lease_state])).toEqual([
      ['one', null],
      ['two', null],
    ])
    const rest = await leadership.list({ limit: 2, cursor: first.next_cursor ?? '' })
    expect(rest).toMatchObject({ items: [{ name: 'three' }], next_cursor: null })
    expect(await refusalOfCall(leadership.list({ cursor: 'x' }))).toMatchObject({ code: 'BAD_REQUEST' })
  })

  it('has a lease that ran out expired, never below zero, and in need of a person once its holder is gone', async () => {
    const { leadership } = await ledByAlder(plane, { alder: 100, birch: 100 })
    await plane.admin(sql`UPDATE membridge_lease SET observed_at = observed_at - interval '2 hours'`)
    await plane.admin(
      sql`UPDATE membridge_node SET last_seen = last_seen - interval '2 hours' WHERE node_id = 'alder'`,
    )
    expect((await leadership.list({})).items).toMatchObject([
      {
        lease_state: 'expired',
        ttl_seconds: 0,
        needs_ui_selection: true,
        primary_online: false,
        nodes_online: 1,
      },
    ])
  })
})

describe('one project', () => {
  it('is read from the store, every node against the last push', async () => {
    const { leadership } = await ledByAlder(plane, { alder: 112, birch: null })
    expect(await leadership.get({ cid: CID })).toMatchObject({
      ...{
        lease_state: 'valid',
        issued_by: 'control-plane',
        lease_seconds: 3600,
        store_refusal: null,
        fault: null,
      },
      nodes: [
        { node_id: 'alder', role: 'primary', obs_count: 112, leadership_enabled: true },
        { node_id: 'birch', role: 'secondary', obs_count: null },
      ],
    })
  })

  it.each([['{"epoch": "3"'], ['[]'], ['{"primary_node_id":"alder","epoch":"3"}']])(
    'with the lease %s is an error of its own, with the nodes beside it',
    async (text) => {
      const { put, leadership } = await ledByAlder(plane, { alder: 112, birch: 100 })
      await put(KEYS.lease, text)
      const project = await leadership.get({ cid: CID })
      expect(project).toMatchObject({ lease_state: 'unreadable', primary_node_id: null, nodes: [{}, {}] })
      expect(project.fault).toBeTruthy()
      expect((await leadership.list({})).items).toMatchObject([{ lease_state: 'unreadable' }])
    },
  )

  it('tells a pointer that cannot be read, which is not one of nothing pushed', async () => {
    const { put, leadership } = await ledByAlder(plane, { alder: 112, birch: 100 })
    await put(KEYS.pointer, 'not json')
    expect(await leadership.get({ cid: CID })).toMatchObject({
      pointer: { state: 'unreadable', sha256: null },
    })
  })

  it('is 404 where nobody was ever heard of, whatever its form', async () => {
    const { leadership } = await consoleRoom(plane)
    expect(await refusalOfCall(leadership.get({ cid: 'nobody' }))).toMatchObject({ code: 'NOT_FOUND' })
    expect(await refusalOfCall(leadership.get({ cid: '../etc' }))).toMatchObject({
      code: 'VALIDATION_FAILED',
    })
  })

  it('tells how many bytes of snapshots are kept', async () => {
    const { store, leadership } = await consoleRoom(plane)
    expect(await leadership.kept({ cid: CID })).toEqual({ bytes: 0, snapshots: 0, complete: true })
    for (const [digit, size] of [
      ['a', 10],
      ['b', 500],
    ] as const) {
      const sha = digit.repeat(64)
      await store.create(KEYS.snapshot(sha), new Uint8Array(size))
      await store.create(KEYS.snapshotSha(sha), new TextEncoder().encode(sha))
    }
    expect(await leadership.kept({ cid: CID })).toEqual({ bytes: 510, snapshots: 2, complete: true })
  })
})
