/**
 * The sweep of content-addressed objects that nothing refers to ([objects#sweep], 02 section 6.1): an object without a row is garbage. A pass lists
 * them, marks those that are older than a day and named by no row, and removes those that were marked at least an hour ago and are still
 * unreferenced. One worker at a time, once an hour.
 *
 * Why nothing that is referenced is ever removed, whatever runs beside a pass. Writers store create-only and commit the row later, so one
 * may find an object "already there" just before it is removed. A removal therefore goes through the ledger, per object:
 *
 *   marked      one row of `object_mark`
 *   condemned   committed under the exclusive lock of the marks, before anything is removed
 *   removed     recorded after the store has said so
 *
 * 1. A row that comes to name an object is inserted under the shared lock and refused when the object is condemned (trigger `object_named`: no
 *    writer can forget it). The locks exclude each other, so each such row is either committed before the condemnation or refused.
 * 2. After the condemnation the references are read again; rows committed before it are seen, and their objects let go. What is removed is
 *    therefore named by no row, and none can come to name it.
 * 3. A writer takes a mark off before it relies on the object (`storeAddressed`): it has a fresh hour, and who needs longer between object and
 *    row meets 1. A condemned object it stores again, after the removal is over, and only then takes the condemnation back. While a
 *    removal is under way, or its end is not known, the write fails with `StorageUnavailable` and is tried again.
 * 4. A process that dies between 2 and 3 leaves a condemned object, which no row can name; a later pass repeats the removal. It
 *    waits until nobody can be at it: a remover begins no request later than a minute after its condemnation, and a request to the store is given
 *    up after some seconds. That a request which was given up does not reach the store minutes later is the one thing that is assumed.
 * 5. A condemnation is taken back only of what surely stands: its removal was not begun, or the store refused it. Of anything else nobody knows
 *    what became, and until 4 has settled that no others are condemned.
 *
 * All of that holds for a ledger that knows whatever was ever committed. One that was set back does not, and the pass ends before it begins
 * (`ledger-is-whole.ts`).
 *
 * The lease keeps two workers from doing the same work; nothing above depends on it.
 */
import sql from 'sql-template-tag'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { requireWholeLedger } from './ledger-is-whole.ts'
import { markUnreferenced, type Pass } from './mark-unreferenced.ts'
import { removeMarked } from './remove-marked.ts'

const LEASE_SECONDS = 120
const PASS_HOURS = 1

export type Swept = { listed: number; marked: number; removed: number }
type Parts = Pick<Services, 'db' | 'store'>
type Sweeper = { holder: string; signal?: AbortSignal; now?: Date }

class Stopped extends Error {}

/** Does the pass that is due; null when none is, another worker is at it, or it was stopped. `now` is the database's clock by default. */
export async function sweepObjects(parts: Parts, { holder, signal, now }: Sweeper): Promise<Swept | null> {
  const { db } = parts
  const moment = now ?? (await ledgerNow(db))
  if (!(await acquire(db, holder, moment))) return null
  const onPage = async () => {
    if (signal?.aborted || !(await renew(db, holder))) throw new Stopped()
  }
  try {
    const swept = await pass(parts, { now: moment, onPage })
    await finish(db, holder, swept, moment)
    return swept
  } catch (error) {
    if (!(error instanceof Stopped)) {
      await fail(db, holder, error, moment)
      throw error
    }
    await release(db, holder)
    return null
  }
}

async function pass(parts: Parts, one: Pass): Promise<Swept> {
  await requireWholeLedger(parts, one.onPage)
  const removed = await removeMarked(parts, one)
  return { ...(await markUnreferenced(parts, one)), removed }
}

const AHEAD = sql`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`

async function acquire(db: Db, holder: string, now: Date): Promise<boolean> {
  const { rowCount } =
    await db.query(sql`UPDATE object_sweep SET lease_holder = ${holder}, lease_expires_at = ${AHEAD}
    WHERE next_at <= ${now} AND (lease_expires_at IS NULL OR lease_expires_at < clock_timestamp())`)
  return rowCount === 1
}

async function renew(db: Db, holder: string): Promise<boolean> {
  const { rowCount } = await db.query(
    sql`UPDATE object_sweep SET lease_expires_at = ${AHEAD} WHERE lease_holder = ${holder} AND lease_expires_at > clock_timestamp()`,
  )
  return rowCount === 1
}

async function finish(db: Db, holder: string, { listed, marked, removed }: Swept, now: Date): Promise<void> {
  await db.query(sql`UPDATE object_sweep SET lease_holder = NULL, lease_expires_at = NULL,
      last_error = CASE WHEN EXISTS (SELECT FROM object_mark WHERE condemned_at IS NOT NULL AND removed_at IS NULL) THEN last_error END,
      next_at = ${now}::timestamptz + make_interval(hours => ${PASS_HOURS}), finished_at = clock_timestamp(),
      listed = ${listed}, marked = ${marked}, removed = ${removed}
    WHERE lease_holder = ${holder}`)
}

async function release(db: Db, holder: string): Promise<void> {
  await db.query(
    sql`UPDATE object_sweep SET lease_holder = NULL, lease_expires_at = NULL WHERE lease_holder = ${holder}`,
  )
}

/** Says why, and puts the next pass off: by a minute at first, then for as long again as passes have failed. */
async function fail(db: Db, holder: string, error: unknown, now: Date): Promise<void> {
  const message = redactText(String((error as Error).message)).slice(0, 500)
  await db.query(sql`UPDATE object_sweep SET lease_holder = NULL, lease_expires_at = NULL, last_error = ${message},
      next_at = ${now}::timestamptz + least(make_interval(hours => ${PASS_HOURS}), greatest(make_interval(mins => 1),
        ${now}::timestamptz - coalesce(finished_at, next_at) - make_interval(hours => ${PASS_HOURS})))
    WHERE lease_holder = ${holder}`)
}
