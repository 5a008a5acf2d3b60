/**
 * The removal of artifacts' documents ([retention#removal]): decided in the ledger, object by object and each with its event, then done in
 * the store. The row of the artifact stays as it is; the row of `artifact_removal` beside it says that the document is gone. From its commit on
 * nobody is served the document; a process that dies before the store has removed the object leaves that to the next pass.
 */
import sql from 'sql-template-tag'
import { SWEEP } from '#domain/authority/caller.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { count } from '#server/metrics/meter.ts'
import { mayRemoveObjects } from '#server/objects/removal-lock.ts'
import type { Services } from '#server/services.ts'
import { removable } from './removable.ts'

type Term = { days: number; now: Date; limit: number; signal?: AbortSignal | undefined }
/** Decided in one transaction, which keeps a backup waiting. */
const BATCH = 100
type Decided = Row<'artifact', 'artifact_id' | 'object_key' | 'content_sha256' | 'bytes'> &
  Row<'artifact_removal', 'decided_at'>

/** Decides about the oldest artifacts that may go; how many. None while a backup is being made. */
export async function decideRemovals(db: Db, { days, now, limit, signal }: Term): Promise<number> {
  const asOf = await ledgerNow(db)
  const { rows } = await db.query<Pick<Decided, 'artifact_id'>>(
    sql`${removable(days, now)} SELECT artifact_id FROM removable ORDER BY created_at, artifact_id LIMIT ${limit}`,
  )
  let decided = 0
  for (let n = 0; n < rows.length && !signal?.aborted; n += BATCH) {
    const ids = rows.slice(n, n + BATCH).map(({ artifact_id }) => artifact_id)
    const some = await decideBatch(db, { days, now, ids, asOf })
    if (some === null) break
    decided += some
  }
  return decided
}

type Batch = Pick<Term, 'days' | 'now'> & { ids: readonly string[]; asOf: Date }

/** Decides about those of these that still may go; null while a backup is being made. */
function decideBatch(db: Db, { days, now, ...again }: Batch): Promise<number | null> {
  return db.transaction(async (tx) => {
    if (!(await mayRemoveObjects(tx))) return null
    const { rows } = await tx.query<Decided>(sql`${removable(days, now, again)},
        going AS (SELECT * FROM removable),
        decided AS (INSERT INTO artifact_removal (artifact_id, days) SELECT artifact_id, ${days} FROM going
          ON CONFLICT DO NOTHING RETURNING artifact_id, decided_at)
      SELECT g.artifact_id, g.object_key, g.content_sha256, g.bytes, d.decided_at FROM decided d JOIN going g ON g.artifact_id = d.artifact_id
      ORDER BY g.created_at, g.artifact_id`)
    for (const row of rows) await recordDecision(tx, row, days)
    return rows.length
  })
}

/** The event alone makes the row again in a rebuild. */
const recordDecision = (tx: Db, { artifact_id, decided_at, ...details }: Decided, days: number) =>
  recordEvent(tx, {
    name: REMOVED,
    actor: SWEEP,
    resource: { type: 'artifact', id: artifact_id },
    refs: { artifact_id },
    details: { ...details, days, decided_at: decided_at.toISOString() },
  })

export const REMOVED = 'artifact.removed'

/** So many objects in a row that the store does not remove say that it removes none at present. */
const PATIENCE = 8
const PAGE = 500
type Parts = Pick<Services, 'db' | 'store'>

/**
 * Removes the objects that were decided about and are not confirmed as gone; how many. One that cannot be removed keeps no other: they come
 * in no order, and what the store threw first is thrown at the end.
 */
export async function finishRemovals(parts: Parts, signal?: AbortSignal): Promise<number> {
  let removed = 0
  for (let page = PAGE; page === PAGE && !signal?.aborted; removed += page) page = await finishPage(parts)
  return removed
}

async function finishPage({ db, store }: Parts): Promise<number> {
  const { rows } = await db.query<
    Pick<Decided, 'artifact_id' | 'object_key'>
  >(sql`SELECT x.artifact_id, a.object_key
    FROM artifact_removal x JOIN artifact a ON a.artifact_id = x.artifact_id
    WHERE x.removed_at IS NULL ORDER BY random() LIMIT ${PAGE}`)
  const faults: unknown[] = []
  let removed = 0
  for (let row = rows.pop(), inARow = 0; row && inARow < PATIENCE; row = rows.pop()) {
    try {
      await store.remove(row.object_key)
      inARow = 0
    } catch (error) {
      faults.push(error)
      inARow++
      continue
    }
    removed += await confirm(db, row.artifact_id)
  }
  if (faults.length > 0) throw faults[0]
  return removed
}

async function confirm(db: Db, artifactId: string): Promise<number> {
  const { rowCount } = await db.query(
    sql`UPDATE artifact_removal SET removed_at = clock_timestamp() WHERE artifact_id = ${artifactId} AND removed_at IS NULL`,
  )
  count('garden_objects_removed_total', { reason: 'retention' }, rowCount ?? 0)
  return rowCount ?? 0
}
