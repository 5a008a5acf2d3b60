/**
 * A ledger that was set back to an earlier time knows less than the store: nothing in it names what came after, and all of that would look like
 * garbage. The mirror of its events tells: an object of an event that the ledger has no row of. Then nothing is removed until a rebuild has
 * brought those rows back.
 */
import sql from 'sql-template-tag'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'

const MIRROR = 'audit/'
const MIRRORED = /^audit\/\d{8}\/(evt_[0-9A-Z]+)\.json$/
/** In byte order this comes behind the days of the mirror. */
const BEHIND_DAYS = 'audit/a'
const PAGE = 1_000
/** An event bears the time of its statement and is committed a little later; whoever hangs in between is ended long before. */
const OVERLAP_MS = 86_400_000

export class LedgerIsBehind extends Error {}

type Parts = Pick<Services, 'db' | 'store'>

/**
 * Throws `LedgerIsBehind` when the store tells of an event that the ledger has not. Looks at the days since the last pass of the sweep that
 * came to its end, for whatever set the ledger back set that date back with it; a pass that this ends leaves the date where it is.
 */
export async function requireWholeLedger({ db, store }: Parts, onPage?: () => Promise<void>): Promise<void> {
  const { rows } = await db.query<Row<'object_sweep', 'finished_at'>>(
    sql`SELECT finished_at FROM object_sweep`,
  )
  for (let after: string | null = dayBefore(rows[0]?.finished_at ?? null); after && after < BEHIND_DAYS; ) {
    await onPage?.()
    const { keys, next }: Awaited<ReturnType<Parts['store']['list']>> = await store.list(MIRROR, {
      after,
      limit: PAGE,
    })
    await requireRows(db, keys)
    after = next
  }
}

const dayBefore = (finished: Date | null): string =>
  finished === null
    ? MIRROR
    : `${MIRROR}${new Date(finished.getTime() - OVERLAP_MS).toISOString().slice(0, 10).replaceAll('-', '')}`

async function requireRows(db: Parts['db'], keys: readonly string[]): Promise<void> {
  const ids = keys.flatMap((key) => MIRRORED.exec(key)?.[1] ?? [])
  const { rows } = await db.query<Row<'event', 'event_id'>>(
    sql`SELECT event_id FROM event WHERE event_id = ANY(${ids})`,
  )
  const known = new Set(rows.map(({ event_id }) => event_id))
  const unknown = ids.find((id) => !known.has(id))
  if (unknown === undefined) return
  throw new LedgerIsBehind(
    `the object store holds the event ${unknown}, which the ledger has not: nothing is removed before the ledger is rebuilt`,
  )
}
