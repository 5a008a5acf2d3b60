import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from './database.ts'
import { keyset, like, whereAll } from './list.ts'
import { openReads, type Reads } from './prisma.ts'
import { columns, rowOf, rowsOf, selected } from './rows.ts'

const newest = keyset('inbox_entry', 'entries', { received_at: 'time', inbox_id: 'text' }, 'desc')
const oldest = keyset('inbox_entry', 'oldest', { received_at: 'time', inbox_id: 'text' }, 'asc')
type Listed = { received_at: Date; inbox_id: string }

let test: TestDatabase
let database: Database
let reads: Reads

beforeAll(async () => {
  test = await createTestDatabase()
  database = openDatabase(test.url)
  reads = openReads(database)
  // Ten rows, three at a moment: the id decides within it.
  await database.query(sql`INSERT INTO inbox_entry (inbox_id, source_type, source_identity, action, target, payload, body_digest, correlation_id,
      received_at, expires_at)
    SELECT 'in-' || n, 'ui', 'owner', 'propose-edit', 'a.md', '{}', 'd', 'c' || n, timestamptz '2026-01-01 00:00Z' + (n / 3) * interval '1 minute', now()
    FROM generate_series(0, 9) n`)
})
afterAll(async () => {
  await reads.$disconnect()
  await database.close()
  await test.drop()
})

async function walk(next: (cursor: string | undefined) => Promise<Listed[]>, of = newest): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = of.page(await next(cursor), 3)
    ids.push(...page.rows.map((row) => row.inbox_id))
    cursor = page.next_cursor ?? undefined
  } while (cursor)
  return ids
}

const ASCENDING = Array.from({ length: 10 }, (_, n) => `in-${n}`)

describe('a keyset', () => {
  it('walks every row once over SQL, newest and oldest first', async () => {
    const bySql = (of: typeof newest) => async (cursor: string | undefined) =>
      (
        await database.query<Listed>(
          sql`SELECT e.received_at, e.inbox_id FROM inbox_entry e ${whereAll(of.after('e', cursor))} ORDER BY ${of.order('e')} LIMIT 4`,
        )
      ).rows
    expect(await walk(bySql(newest))).toEqual(ASCENDING.toReversed())
    expect(await walk(bySql(oldest), oldest)).toEqual(ASCENDING)
  })

  it('walks the same over Prisma Client', async () => {
    const byPrisma = (of: typeof newest) => (cursor: string | undefined) =>
      reads.inboxEntry.findMany(of.slice({}, { cursor, limit: 3 }))
    expect(await walk(byPrisma(newest))).toEqual(ASCENDING.toReversed())
    expect(await walk(byPrisma(oldest), oldest)).toEqual(ASCENDING)
  })

  it.each([
    ['another list', oldest.cursorOf({ received_at: new Date(0), inbox_id: 'in-1' })],
    ['no cursor', 'x'],
    ['a time that is none', Buffer.from('["entries","yesterday","in-1"]').toString('base64url')],
    ['an id with NUL', Buffer.from('["entries","2026-01-01T00:00:00Z","in\\u0000"]').toString('base64url')],
    ['too few values', Buffer.from('["entries","2026-01-01T00:00:00Z"]').toString('base64url')],
  ])('refuses %s', (_, cursor) => {
    expect(() => newest.after('e', cursor)).toThrow('The cursor does not belong to this list.')
    expect(() => newest.slice({}, { cursor, limit: 1 })).toThrow('The cursor does not belong to this list.')
  })
})

describe('a row of Prisma Client', () => {
  it('is the row that SQL delivers', async () => {
    const names = ['inbox_id', 'received_at', 'payload', 'summary', 'ttl_hours'] as const
    const { rows } = await database.query(
      sql`SELECT ${columns('inbox_entry', 'e', names)} FROM inbox_entry e WHERE inbox_id = 'in-1'`,
    )
    const row = await reads.inboxEntry.findFirst({
      where: { inbox_id: 'in-1' },
      select: selected(names),
    })
    expect(row && rowOf('inbox_entry', row)).toEqual(rows[0])
  })

  it('has numbers where the column is int8', async () => {
    const head = await reads.eventHead.findFirst({ select: { seq: true, low: true } })
    expect(head && rowsOf('event_head', [head])).toEqual([{ seq: 0, low: 0 }])
  })
})

describe('like', () => {
  it.each([
    ['100%', '100\\%'],
    ['a_b\\c', 'a\\_b\\\\c'],
    ['nul\0', 'nul'],
  ])('takes %j literally', (text, escaped) => {
    expect(like(text)).toBe(escaped)
  })
})
