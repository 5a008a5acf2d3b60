import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuditListInput, auditListInput } from '#contracts/audit.contract.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { openReads, type Reads } from '#server/ledger/prisma.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { plansOf } from '#server/ledger/testing/plans-of.ts'
import { listEvents } from './list-events.query.ts'

const EVENTS = 20_000
/** Event n happened n seconds after this, four of them at one time: in the order of the ids but for the last, whose clock was an hour slow. */
const START = Date.parse('2026-01-01T00:00:00Z')
const at = (seconds: number) => new Date(START + seconds * 1_000).toISOString()
const SLOW = { at: 5_001, name: 'slow.clock' }

let test: TestDatabase
let web: Database
let reads: Reads

beforeAll(async () => {
  test = await createTestDatabase()
  await onLedger(test.adminUrl, async (db) => {
    await db.query(sql`INSERT INTO event (name, actor, actor_role, resource_type, resource_id, ts)
      SELECT CASE n WHEN ${EVENTS}::int THEN ${SLOW.name} ELSE 'auth.login' END, 'owner', 'owner', 'session', 's-' || n,
        ${at(0)}::timestamptz + make_interval(secs => CASE n WHEN ${EVENTS}::int THEN ${SLOW.at}::int ELSE n - n % 4 END)
      FROM generate_series(1, ${EVENTS}::int) n ORDER BY n`)
    await db.query(sql`VACUUM ANALYZE event`)
  })
  web = openDatabase(test.webUrl)
  reads = openReads(web)
})
afterAll(async () => {
  await reads?.$disconnect()
  await web?.close()
  await test?.drop()
})

const list = (input: Partial<AuditListInput>, searched?: number) =>
  listEvents({ db: web, reads }, auditListInput.parse(input), searched)

/** The numbers of the events of all pages. */
async function allOf(input: Partial<AuditListInput>, searched?: number): Promise<string[]> {
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await list({ ...input, ...(cursor && { cursor }) }, searched)
    seen.push(...page.items.map(({ resource }) => resource.id))
    cursor = page.next_cursor ?? undefined
  } while (cursor)
  return seen
}

const numbered = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, n) => `s-${from - n}`)

describe('the audit between two times', () => {
  it('holds each event of the time once, newest first, also where clocks differed', async () => {
    const wanted = [...numbered(5_011, 5_004), `s-${EVENTS}`, ...numbered(5_003, 4_992)]
    for (const limit of [1, 3, 7, 100])
      expect(await allOf({ from: at(4_992), to: at(5_012), limit })).toEqual(wanted)
  })

  it('is searched for a text in bounded steps without leaving one out', async () => {
    const between = { from: at(4_992), to: at(5_012), q: 's-50' }
    const wanted = [...numbered(5_011, 5_004), ...numbered(5_003, 5_000)]
    for (const searched of [2, 3, 5, 1_000])
      for (const limit of [2, 100]) expect(await allOf({ ...between, limit }, searched)).toEqual(wanted)
  })

  it.each<[string, Partial<AuditListInput>]>([
    ['far behind', { from: at(300), to: at(9_000) }],
    ['up to a time', { to: at(400) }],
    ['from a time on', { from: at(100) }],
    ['with a filter that most pass', { from: at(100), to: at(400), event: 'auth' }],
  ])('is read along the index of the times: %s', async (_, input) => {
    const [plan] = await plansOf(web, () => list(input))
    expect(plan).toMatch(/Index Scan Backward using event_time on event/)
    expect(plan).toMatch(/Index Cond: .*ts /)
    expect(plan).not.toContain('Sort')
  })

  it('refuses the cursor of a list without times', async () => {
    const { next_cursor } = await list({ limit: 1 })
    await expect(list({ from: at(0), cursor: next_cursor as string })).rejects.toThrow('does not belong')
  })

  it('goes on behind events of the highest numbers', async () => {
    await onLedger(test.adminUrl, async (db) => {
      await db.query(
        sql`SELECT setval(pg_get_serial_sequence('event', 'id'), ${Number.MAX_SAFE_INTEGER - 3}::bigint)`,
      )
      await db.query(sql`INSERT INTO event (name, actor, actor_role, resource_type, resource_id, ts)
        SELECT 'auth.login', 'owner', 'owner', 'session', 'late-' || n, ${at(40_000)}::timestamptz + make_interval(secs => n) FROM generate_series(1, 3) n`)
    })
    expect(await allOf({ from: at(39_000), limit: 1 })).toEqual(['late-3', 'late-2', 'late-1'])
  })
})
