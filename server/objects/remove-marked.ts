import sql from 'sql-template-tag'
import { SWEEP } from '#domain/authority/caller.ts'
import { type Db, sqlState } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { count } from '#server/metrics/meter.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import { clearMarks, type Pass } from './mark-unreferenced.ts'
import { ABANDONED_MINUTES, BETWEEN_PASSES_HOURS, LOCK_MARKS, REMEMBERED_DAYS } from './object-mark.ts'
import { referencedKeys } from './object-references.ts'
import { mayRemoveObjects } from './removal-lock.ts'

const BATCH = 1_000
/** Keys that one event names; its details are limited. */
const KEYS_AN_EVENT = 100
const CONCURRENCY = 8
/** Whoever takes longer leaves the rest to the next pass: well before somebody else takes the removal over. */
const PATIENCE_MS = 60_000
const LOCK_TIMEOUT = '2s'
const LOCK_NOT_AVAILABLE = '55P03'

type Parts = Pick<Services, 'db' | 'store'>
type Mark = Row<'object_mark', 'object_key' | 'bytes' | 'condemned_at'>

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
    removed += await removeCondemned(parts, left, { fresh: false })
  }
  for (;;) {
    await pass.onPage()
    const due = await dueMarks(parts.db, pass.now)
    if (due.length === 0 || (await isUnderWay(parts.db))) return removed
    const referenced = await referencedKeys(parts.db, due)
    await clearMarks(parts.db, [...referenced])
    const condemned = await condemn(
      parts.db,
      due.filter((key) => !referenced.has(key)),
    )
    if (condemned === null) return removed
    removed += await removeCondemned(parts, condemned, { fresh: true })
  }
}

async function dueMarks(db: Db, now: Date): Promise<string[]> {
  const { rows } = await db.query<
    Pick<Mark, 'object_key'>
  >(sql`SELECT object_key FROM object_mark WHERE condemned_at IS NULL
    AND marked_at <= ${now}::timestamptz - make_interval(hours => ${BETWEEN_PASSES_HOURS}) ORDER BY marked_at LIMIT ${BATCH}`)
  return rows.map(({ object_key }) => object_key)
}

/** Whether of any object it is not known what became of its removal: then no others are kept from their writers. */
async function isUnderWay(db: Db): Promise<boolean> {
  const { rowCount } = await db.query(
    sql`SELECT 1 FROM object_mark WHERE condemned_at IS NOT NULL AND removed_at IS NULL LIMIT 1`,
  )
  return rowCount === 1
}

/** From the commit on no row can come to name these objects. Null while a backup runs, or when writers keep the lock. */
async function condemn(db: Db, keys: string[]): Promise<Mark[] | null> {
  try {
    return await db.transaction(async (tx) => {
      if (!(await mayRemoveObjects(tx))) return null
      await tx.query(sql`SELECT set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`)
      await tx.query(LOCK_MARKS)
      const { rows } = await tx.query<Mark>(sql`UPDATE object_mark SET condemned_at = clock_timestamp()
        WHERE object_key = ANY(${keys}) AND condemned_at IS NULL RETURNING object_key, bytes, condemned_at`)
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
    RETURNING object_key, bytes, condemned_at`)
  return rows
}

/** The last look decides: what a row names, which was committed before the condemnation, is let go. */
async function removeCondemned(
  { db, store }: Parts,
  condemned: readonly Mark[],
  { fresh }: { fresh: boolean },
): Promise<number> {
  const referenced = await referencedKeys(
    db,
    condemned.map(({ object_key }) => object_key),
  )
  await db.query(
    sql`DELETE FROM object_mark WHERE object_key = ANY(${[...referenced]}) AND removed_at IS NULL`,
  )
  const { gone, standing, fault } = await removeObjects(
    store,
    condemned.filter(({ object_key }) => !referenced.has(object_key)),
  )
  const removed = await db.transaction((tx) => recordRemoved(tx, gone))
  count('garden_objects_removed_total', { reason: 'unreferenced' }, removed)
  // Of one that was taken over it is not known whether the removal that was broken off succeeded.
  if (fresh) await takeBack(db, standing)
  if (fault) throw fault
  return removed
}

type Outcome = { gone: Mark[]; standing: Mark[]; fault: unknown }

/** Until the first fault: which are gone, and which surely stand, for they were not begun with or the store refused. */
async function removeObjects(store: Parts['store'], marks: readonly Mark[]): Promise<Outcome> {
  const began = performance.now()
  const waiting = [...marks]
  const outcome: Outcome = { gone: [], standing: [], fault: null }
  const work = async () => {
    while (!outcome.fault && performance.now() - began <= PATIENCE_MS) {
      const mark = waiting.shift()
      if (!mark) return
      try {
        await store.remove(mark.object_key)
        outcome.gone.push(mark)
      } catch (error) {
        outcome.fault ??= error
        if (error instanceof StorageUnavailable && error.refused) outcome.standing.push(mark)
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  outcome.standing.push(...waiting)
  return outcome
}

/** Takes condemnations back, unless somebody else has taken them over: rows may name these objects again. */
async function takeBack(db: Db, marks: readonly Mark[]): Promise<void> {
  if (marks.length === 0) return
  await db.query(sql`UPDATE object_mark m SET condemned_at = NULL
    FROM unnest(${marks.map((mark) => mark.object_key)}::text[], ${marks.map((mark) => mark.condemned_at)}::timestamptz[]) AS i(key, at)
    WHERE m.object_key = i.key AND m.condemned_at = i.at AND m.removed_at IS NULL`)
}

/** How many were not recorded before: somebody who took the removal over may have been faster. */
async function recordRemoved(tx: Db, gone: readonly Mark[]): Promise<number> {
  if (gone.length === 0) return 0
  const { rows } = await tx.query<Mark>(sql`UPDATE object_mark SET removed_at = clock_timestamp()
    WHERE object_key = ANY(${gone.map(({ object_key }) => object_key)}) AND removed_at IS NULL RETURNING object_key, bytes`)
  const sizeOf = (marks: readonly Mark[]) => marks.reduce((sum, mark) => sum + mark.bytes, 0)
  await tx.query(
    sql`UPDATE object_sweep SET total_removed = total_removed + ${rows.length}, total_bytes = total_bytes + ${sizeOf(rows)}`,
  )
  for (let n = 0; n < rows.length; n += KEYS_AN_EVENT) {
    const some = rows.slice(n, n + KEYS_AN_EVENT)
    const keys = some.map(({ object_key }) => object_key).sort()
    await recordEvent(tx, {
      name: 'storage.swept',
      actor: SWEEP,
      resource: { type: 'storage', id: 'objects' },
      details: { removed: some.length, bytes: sizeOf(some), keys },
    })
  }
  return rows.length
}
