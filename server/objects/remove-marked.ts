import sql from 'sql-template-tag'
import { SWEEP } from '#domain/authority/caller.ts'
import { type Db, sqlState } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { count } from '#server/metrics/meter.ts'
import type { Services } from '#server/services.ts'
import { clearMarks, type Pass } from './mark-unreferenced.ts'
import { ABANDONED_MINUTES, BETWEEN_PASSES_HOURS, LOCK_MARKS, REMEMBERED_DAYS } from './object-mark.ts'
import { referencedKeys } from './object-references.ts'
import { mayRemoveObjects } from './removal-lock.ts'

const BATCH = 100
const CONCURRENCY = 8
/** Whoever takes longer leaves the rest to the next pass: well before somebody else takes the removal over. */
const PATIENCE_MS = 60_000
const LOCK_TIMEOUT = '2s'
const LOCK_NOT_AVAILABLE = '55P03'

type Parts = Pick<Services, 'db' | 'store'>
type Mark = Row<'object_mark', 'object_key' | 'bytes'>

/** Removes what was marked long enough ago and is still unreferenced, and finishes removals that were broken off; how many are gone. */
export async function removeMarked(parts: Parts, pass: Pass): Promise<number> {
  await parts.db.query(
    sql`DELETE FROM object_mark WHERE removed_at < ${pass.now}::timestamptz - make_interval(days => ${REMEMBERED_DAYS})`,
  )
  let removed = 0
  for (
    let left = await takeOver(parts.db, pass.now);
    left.length > 0;
    left = await takeOver(parts.db, pass.now)
  ) {
    await pass.onPage()
    removed += await removeCondemned(parts, left)
  }
  for (;;) {
    await pass.onPage()
    const due = await dueMarks(parts.db, pass.now)
    if (due.length === 0) return removed
    const referenced = await referencedKeys(parts.db, due)
    await clearMarks(parts.db, [...referenced])
    const condemned = await condemn(
      parts.db,
      due.filter((key) => !referenced.has(key)),
    )
    if (condemned === null) return removed
    removed += await removeCondemned(parts, condemned)
  }
}

async function dueMarks(db: Db, now: Date): Promise<string[]> {
  const { rows } = await db.query<
    Pick<Mark, 'object_key'>
  >(sql`SELECT object_key FROM object_mark WHERE condemned_at IS NULL
    AND marked_at <= ${now}::timestamptz - make_interval(hours => ${BETWEEN_PASSES_HOURS}) ORDER BY marked_at LIMIT ${BATCH}`)
  return rows.map(({ object_key }) => object_key)
}

/** From the commit on no row can come to name these objects. Null while a backup runs, or when writers keep the lock. */
async function condemn(db: Db, keys: string[]): Promise<Mark[] | null> {
  try {
    return await db.transaction(async (tx) => {
      if (!(await mayRemoveObjects(tx))) return null
      await tx.query(sql`SELECT set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`)
      await tx.query(LOCK_MARKS)
      const { rows } = await tx.query<Mark>(sql`UPDATE object_mark SET condemned_at = clock_timestamp()
        WHERE object_key = ANY(${keys}) AND condemned_at IS NULL RETURNING object_key, bytes`)
      return rows
    })
  } catch (error) {
    if (sqlState(error) === LOCK_NOT_AVAILABLE) return null
    throw error
  }
}

/** Removals that somebody began so long ago that he is not at them any more. */
async function takeOver(db: Db, now: Date): Promise<Mark[]> {
  const { rows } =
    await db.query<Mark>(sql`UPDATE object_mark SET condemned_at = clock_timestamp() WHERE object_key IN (
      SELECT object_key FROM object_mark WHERE removed_at IS NULL
        AND condemned_at <= ${now}::timestamptz - make_interval(mins => ${ABANDONED_MINUTES}) LIMIT ${BATCH})
    RETURNING object_key, bytes`)
  return rows
}

/** The last look decides: what a row names, which was committed before the condemnation, is let go. */
async function removeCondemned({ db, store }: Parts, condemned: readonly Mark[]): Promise<number> {
  const began = performance.now()
  const referenced = await referencedKeys(
    db,
    condemned.map(({ object_key }) => object_key),
  )
  await db.query(
    sql`DELETE FROM object_mark WHERE object_key = ANY(${[...referenced]}) AND removed_at IS NULL`,
  )
  const waiting = condemned.filter(({ object_key }) => !referenced.has(object_key))
  const gone: Mark[] = []
  let fault: unknown = null
  const work = async () => {
    for (let mark = waiting.shift(); mark && !fault; mark = waiting.shift()) {
      if (performance.now() - began > PATIENCE_MS) return
      try {
        await store.remove(mark.object_key)
        gone.push(mark)
      } catch (error) {
        fault ??= error
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  const removed = await db.transaction((tx) => recordRemoved(tx, gone))
  count('garden_objects_removed_total', { reason: 'unreferenced' }, removed)
  if (fault) throw fault
  return removed
}

/** How many were not recorded before: somebody who took the removal over may have been faster. */
async function recordRemoved(tx: Db, gone: readonly Mark[]): Promise<number> {
  const { rows } = await tx.query<Mark>(sql`UPDATE object_mark SET removed_at = clock_timestamp()
    WHERE object_key = ANY(${gone.map(({ object_key }) => object_key)}) AND removed_at IS NULL RETURNING object_key, bytes`)
  if (rows.length === 0) return 0
  const keys = rows.map(({ object_key }) => object_key).sort()
  const bytes = rows.reduce((sum, mark) => sum + mark.bytes, 0)
  await tx.query(
    sql`UPDATE object_sweep SET total_removed = total_removed + ${rows.length}, total_bytes = total_bytes + ${bytes}`,
  )
  await recordEvent(tx, {
    name: 'storage.swept',
    actor: SWEEP,
    resource: { type: 'storage', id: 'objects' },
    details: { removed: rows.length, bytes, keys },
  })
  return rows.length
}
