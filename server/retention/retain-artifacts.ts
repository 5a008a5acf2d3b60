/**
 * Retention of artifacts ([retention]): off unless `RETENTION_ARTIFACT_DAYS` is set. The first pass under a value removes nothing: it
 * announces what would go, and removal begins a day later, so that a wrong number can be taken back. Then the oldest go.
 */
import sql from 'sql-template-tag'
import { SWEEP } from '#domain/authority/caller.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { requireWholeLedger } from '#server/objects/ledger-is-whole.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { measureRetention } from './preview-retention.ts'
import { decideRemovals, finishRemovals } from './remove-artifacts.ts'

/** Between the announcement of a value and the first removal under it. */
export const NOTICE_HOURS = 24
/** Decided in one pass. */
const LIMIT = 10_000

type Parts = Pick<Services, 'db' | 'store' | 'log'> & {
  env: Pick<Services['env'], 'RETENTION_ARTIFACT_DAYS'>
}

type Moment = { now?: Date; signal?: AbortSignal }

/**
 * One pass; true when there is more to do at once. `now` is the database's clock by default. What keeps a pass from its end is thrown, and
 * stands in the state of retention until a pass comes to its end.
 */
export async function retainArtifacts(parts: Parts, moment: Moment = {}): Promise<boolean> {
  try {
    const more = await pass(parts, moment)
    await parts.db.query(
      sql`UPDATE retention SET last_error = NULL, failing_since = NULL WHERE last_error IS NOT NULL`,
    )
    return more
  } catch (error) {
    await recordFailure(parts, error)
    throw error
  }
}

/** Never throws: a database that does not take the message must not hide what it says. */
async function recordFailure({ db, log }: Parts, error: unknown): Promise<void> {
  const message = redactText(error instanceof Error ? error.message : String(error)).slice(0, 500)
  try {
    await db.query(
      sql`UPDATE retention SET last_error = ${message}, failing_since = coalesce(failing_since, clock_timestamp())`,
    )
  } catch (unrecorded) {
    log.warn({ err: unrecorded }, 'the failure of retention is not recorded')
  }
}

async function pass(parts: Parts, { now: moment, signal }: Moment): Promise<boolean> {
  const now = moment ?? (await ledgerNow(parts.db))
  const more = await decide(parts, now, signal)
  // Behind the decision: objects that cannot be removed keep nobody from turning retention off.
  await finishRemovals(parts, signal)
  return more
}

async function decide({ db, store, env }: Parts, now: Date, signal?: AbortSignal): Promise<boolean> {
  const days = env.RETENTION_ARTIFACT_DAYS
  if (days === undefined) return turnOff(db)
  const { rows } = await db.query<Row<'retention', 'days' | 'begins_at'>>(
    sql`SELECT days, begins_at FROM retention`,
  )
  const [state] = rows
  if (state?.days !== days || !state.begins_at) return announce(db, days, now)
  if (now.getTime() < state.begins_at.getTime()) return false
  await requireWholeLedger({ db, store })
  const decided = await decideRemovals(db, { days, now, limit: LIMIT, signal })
  return decided === LIMIT
}

async function turnOff(db: Db): Promise<false> {
  await db.query(sql`UPDATE retention SET days = NULL, announced_at = NULL, begins_at = NULL, artifacts = 0, bytes = 0, oldest_at = NULL
    WHERE days IS NOT NULL`)
  return false
}

/** Once for each value, whichever worker comes first. */
async function announce(db: Db, days: number, now: Date): Promise<false> {
  const { artifacts, bytes, oldest_at } = await measureRetention(db, days, now)
  await db.transaction(async (tx) => {
    const { rows } = await tx.query<
      Row<'retention', 'begins_at'>
    >(sql`UPDATE retention SET days = ${days}, announced_at = ${now},
        begins_at = ${now}::timestamptz + make_interval(hours => ${NOTICE_HOURS}),
        artifacts = ${artifacts}, bytes = ${bytes}, oldest_at = ${oldest_at}
      WHERE days IS DISTINCT FROM ${days} RETURNING begins_at`)
    if (!rows[0]) return
    await recordEvent(tx, {
      name: 'retention.announced',
      actor: SWEEP,
      resource: { type: 'storage', id: 'artifacts' },
      details: { days, artifacts, bytes, begins_at: rows[0].begins_at?.toISOString() },
    })
  })
  return false
}
