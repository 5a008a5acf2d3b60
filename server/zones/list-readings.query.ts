/** SQL, not Prisma: guests are numbered by a window over the sessions of the zone. */
import sql, { type Sql } from 'sql-template-tag'
import type { ReaderView, ReadingList, ReadingView } from '#contracts/zone-reading.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { keyset, whereAll } from '#server/ledger/list.ts'
import { columns, type Row } from '#server/ledger/rows.ts'

const SHOWN = ['reading_id', 'path', 'openings', 'first_read_at', 'last_read_at'] as const
type ReadingRow = Row<'zone_reading', (typeof SHOWN)[number]> & { guest: number }
const MOST_READERS = 200

const latestReadings = keyset(
  'zone_reading',
  'readings',
  { last_read_at: 'time', reading_id: 'uuid' },
  'desc',
)

/** The sessions of the zone, numbered in the order in which they began; none is ever removed before its zone. */
const guestsOf = (zoneId: string): Sql => sql`(SELECT s.sid, s.created_at,
    row_number() OVER (ORDER BY s.created_at, s.sid)::int AS guest FROM session s WHERE s.zone_id = ${zoneId})`

/** What guests of the zone opened, by when they last read it. */
export async function listReadings(
  { db }: { db: Db },
  { zone_id, guest, cursor, limit }: ReadingList,
): Promise<Result<{ items: ReadingView[]; next_cursor: string | null }>> {
  if (!(await isZone(db, zone_id))) return MISSING
  const { rows } = await db.query<ReadingRow>(sql`SELECT ${columns('zone_reading', 'r', SHOWN)}, g.guest
    FROM zone_reading r JOIN ${guestsOf(zone_id)} g ON g.sid = r.sid
    ${whereAll(sql`r.zone_id = ${zone_id}`, guest !== undefined && sql`g.guest = ${guest}::int`, latestReadings.after('r', cursor))}
    ORDER BY ${latestReadings.order('r')} LIMIT ${limit + 1}`)
  const page = latestReadings.page(rows, limit)
  return ok({ items: page.rows.map(readingView), next_cursor: page.next_cursor })
}

const readingView = ({ first_read_at, last_read_at, ...row }: ReadingRow): ReadingView => ({
  ...row,
  first_read_at: first_read_at.toISOString(),
  last_read_at: last_read_at.toISOString(),
})

type ReaderRow = { guest: number; entered_at: Date; notes: number; last_read_at: Date; total: number }

/** The guests of the zone who opened notes, those who read last first. */
export async function listReaders(
  { db }: { db: Db },
  { zone_id }: { zone_id: string },
): Promise<Result<{ items: ReaderView[]; total: number }>> {
  if (!(await isZone(db, zone_id))) return MISSING
  const { rows } =
    await db.query<ReaderRow>(sql`SELECT g.guest, g.created_at AS entered_at, count(*)::int AS notes,
      max(r.last_read_at) AS last_read_at, count(*) OVER ()::int AS total
    FROM zone_reading r JOIN ${guestsOf(zone_id)} g ON g.sid = r.sid WHERE r.zone_id = ${zone_id}
    GROUP BY g.guest, g.created_at ORDER BY max(r.last_read_at) DESC, g.guest DESC LIMIT ${MOST_READERS}`)
  return ok({ items: rows.map(readerView), total: rows[0]?.total ?? 0 })
}

const readerView = ({ guest, entered_at, notes, last_read_at }: ReaderRow): ReaderView => ({
  ...{ guest, notes },
  entered_at: entered_at.toISOString(),
  last_read_at: last_read_at.toISOString(),
})

const MISSING = refuse({ code: 'NOT_FOUND', message: 'There is no such zone.' })

async function isZone(db: Db, zoneId: string): Promise<boolean> {
  const { rows } = await db.query(sql`SELECT zone_id FROM zone WHERE zone_id = ${zoneId}`)
  return rows.length > 0
}
