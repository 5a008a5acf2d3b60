/** Records of syncs: one end each, a limit of time, pages along an index. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { syncListRequest, syncView } from '#contracts/membridge.contract.ts'
import { CONTROL_PLANE_ADMIN, SCHEDULER } from '#domain/authority/caller.ts'
import { Refused } from '#domain/kernel/errors.ts'
import type { Db } from '#server/ledger/database.ts'
import { protectSecrets } from '#server/redaction/redact.ts'
import { getSync, listSyncs } from './list-syncs.query.ts'
import { expireSyncs, finishSync, requestSync, type SyncEnd, type SyncRequest } from './record-sync.ts'
import { type TestControlPlane, testControlPlane } from './testing/control-plane.ts'

let plane: TestControlPlane
beforeAll(async () => {
  plane = await testControlPlane()
})
beforeEach(() => plane.reset())
afterAll(() => plane?.close())

const REQUEST: SyncRequest = {
  action: 'push',
  project: 'mem',
  agent: 'rpi4b',
  canonicalId: '6fe2e0f6071ac2bb',
  requestId: 'a1b2c3d4e5f6',
}
const request = (more: Partial<SyncRequest> = {}) =>
  requestSync(plane, { ...REQUEST, ...more }, CONTROL_PLANE_ADMIN)
const finish = (sync_id: string, end: Partial<SyncEnd> = {}) =>
  finishSync(
    plane,
    { sync_id, action: 'push', outcome: 'completed', detail: 'Done.', ...end },
    CONTROL_PLANE_ADMIN,
  )
const list = (query: Record<string, unknown> = {}) => listSyncs(plane, syncListRequest.parse(query))
const age = (id: string, seconds: number) =>
  plane.admin(
    sql`UPDATE membridge_sync SET created_at = clock_timestamp() - make_interval(secs => ${seconds}) WHERE sync_id = ${id}`,
  )
const events = async (id: string) => (await plane.events('sync', id)).map(({ name }) => name)

describe('a sync', () => {
  it('is pending from its request, with every field', async () => {
    const sync = syncView.parse(await request())
    expect(sync).toEqual({
      ...{ id: expect.stringMatching(/^[0-9a-f]{16}$/), kind: 'sync', action: 'push', status: 'pending' },
      ...{ project: 'mem', agent: 'rpi4b', canonical_id: '6fe2e0f6071ac2bb', request_id: 'a1b2c3d4e5f6' },
      ...{ detail: null, stdout: null, stderr: null, returncode: null, dryrun: null, finished_at: null },
      created_at: expect.closeTo(Date.now() / 1000, -2),
    })
    expect(await getSync(plane, { id: sync.id })).toEqual({ ok: true, value: sync })
    expect(await events(sync.id)).toEqual(['sync.requested'])
  })

  it.each([
    ['push', 'completed', 'sync.pushed'],
    ['pull', 'completed', 'sync.pulled'],
    ['push', 'failed', 'sync.failed'],
    ['pull', 'error', 'sync.failed'],
  ] as const)('%s that is %s is recorded as %s', async (action, outcome, name) => {
    const { id } = await request({ action })
    const ended = await finish(id, { action, outcome, returncode: 3, dryrun: false })
    expect(ended).toMatchObject({ ok: true, value: { status: outcome, returncode: 3, dryrun: false } })
    expect(await events(id)).toEqual(['sync.requested', name])
  })

  it('ends once, whoever is first', async () => {
    const { id } = await request()
    const ends = await Promise.all(
      (['completed', 'failed', 'error', 'completed'] as const).map((outcome) => finish(id, { outcome })),
    )
    expect(ends.filter(({ ok }) => ok)).toHaveLength(1)
    const lost = ends.flatMap((end) => (end.ok ? [] : [end.refusal.code]))
    expect(lost).toEqual(Array(3).fill('INVALID_TRANSITION'))
    expect(await events(id)).toHaveLength(2)
  })

  it.each(['0123456789abcdef', 'no id at all', 'a\0b', ''])('is not found by %j', async (id) => {
    expect(await getSync(plane, { id })).toMatchObject({
      ok: false,
      refusal: { code: 'NOT_FOUND', message: `Job '${id}' not found` },
    })
  })

  it('is ended only as what it is', async () => {
    const { id } = await request({ action: 'pull' })
    expect(await finish(id, { action: 'push' })).toMatchObject({ ok: false, refusal: { code: 'NOT_FOUND' } })
    expect(await getSync(plane, { id })).toMatchObject({ value: { status: 'pending' } })
  })

  it('keeps the end of the output, without secrets and whatever bytes it holds', async () => {
    const secret = 'canary-of-the-admin-key-0123456789'
    protectSecrets(['known-before-0123456789'])
    protectSecrets(['known-before-0123456789', secret])
    const { id } = await request()
    // The cut falls into the secret: it must be gone before.
    const stdout = `${secret}${'x'.repeat(16_370)}`
    const ended = await finish(id, { detail: `key ${secret}\0`, stdout, stderr: 'half \ud800 pair\n' })
    expect(ended).toMatchObject({ ok: true, value: { detail: 'key ****', stderr: 'half \ufffd pair\n' } })
    expect(JSON.stringify(ended)).not.toContain('0123456789')
  })
})

describe('a sync without an answer', () => {
  it('is given up after ten minutes, and a late answer is refused', async () => {
    const [old, young] = [await request(), await request()]
    await age(old.id, 600)
    await age(young.id, 597)
    expect(await expireSyncs({ db: plane.worker }, SCHEDULER)).toBe(1)
    expect(await expireSyncs({ db: plane.worker }, SCHEDULER)).toBe(0)
    expect(await getSync(plane, { id: old.id })).toMatchObject({
      value: { status: 'error', detail: 'No answer within 10 minutes. Run the sync again.' },
    })
    expect(await getSync(plane, { id: young.id })).toMatchObject({ value: { status: 'pending' } })
    expect(await finish(old.id)).toMatchObject({ ok: false, refusal: { code: 'INVALID_TRANSITION' } })
    expect(await events(old.id)).toEqual(['sync.requested', 'sync.failed'])
  })

  it('is given up once, however many look', async () => {
    for (let n = 0; n < 5; n++) await age((await request()).id, 700)
    const looks = await Promise.all(
      Array.from({ length: 4 }, () => expireSyncs({ db: plane.worker }, SCHEDULER)),
    )
    expect(looks.reduce((sum, n) => sum + n, 0)).toBe(5)
  })
})

describe('the list of syncs', () => {
  it('is newest first, filtered, page by page', async () => {
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.unshift((await request({ project: n % 2 ? 'garden' : 'mem' })).id)
    await finish(ids[0] as string)
    const idsOf = async (query: Record<string, unknown>) => (await list(query)).items.map(({ id }) => id)
    expect(await idsOf({})).toEqual(ids)
    expect(await idsOf({ project: 'garden' })).toEqual([ids[1], ids[3]])
    expect(await idsOf({ status: 'completed' })).toEqual([ids[0]])
    expect(await idsOf({ status: 'pending', project: 'mem' })).toEqual([ids[2], ids[4]])
    const first = await list({ limit: 2 })
    const second = await list({ limit: 3, cursor: first.next_cursor })
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids)
    expect(second.next_cursor).toBeNull()
    await expect(list({ cursor: 'nonsense' })).rejects.toThrow(Refused)
  })

  it.each([{ status: 'COMPLETE' }, { limit: 0 }, { limit: 201 }, { project: 'a\0b' }])(
    'refuses %j',
    (query) => expect(syncListRequest.safeParse(query).success).toBe(false),
  )

  it.each([
    [{}, 'membridge_sync_created'],
    [{ status: 'pending' }, 'membridge_sync_status'],
    [{ project: 'project 7' }, 'membridge_sync_project'],
  ])('of a large table reads a page along an index: %j', async (query, index) => {
    await fill()
    const plans = [await planOf(query)]
    const { next_cursor } = await list({ ...query, limit: 20 })
    plans.push(await planOf({ ...query, cursor: next_cursor }))
    for (const plan of plans) {
      expect(plan).toContain(index)
      expect(plan).not.toMatch(/Seq Scan|Sort/)
    }
  })

  const fill = async () => {
    await plane.admin(sql`INSERT INTO membridge_sync (sync_id, status, action, project, agent, canonical_id, requested_by, created_at)
      SELECT lpad(to_hex(n), 16, '0'), 'pending', 'push', 'project ' || n % 50, 'rpi4b', 'mem', 'owner', now() - make_interval(secs => n)
      FROM generate_series(1, 20000) n`)
    await plane.admin(
      sql`UPDATE membridge_sync SET status = 'completed', finished_at = now() WHERE extract(epoch FROM created_at)::bigint % 100 <> 0`,
    )
    await plane.admin(sql`ANALYZE membridge_sync`)
  }

  async function planOf(query: Record<string, unknown>): Promise<string> {
    let plan = ''
    const explained: Db = {
      ...plane.db,
      query: async (statement) => {
        const { rows } = await plane.db.query<{ 'QUERY PLAN': string }>(sql`EXPLAIN ${statement}`)
        plan = rows.map((row) => row['QUERY PLAN']).join('\n')
        return { rows: [], rowCount: 0 }
      },
    }
    await listSyncs({ db: explained }, syncListRequest.parse({ limit: 20, ...query }))
    return plan
  }
})
