import sql from 'sql-template-tag'
import { type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'

/** When the documents of these artifacts were removed by retention; those that are there are not in it. */
export async function removalsOf(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Date>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<{ artifact_id: string; decided_at: Date }>(
    sql`SELECT artifact_id, decided_at FROM artifact_removal WHERE artifact_id = ANY(${[...ids]})`,
  )
  return new Map(rows.map(({ artifact_id, decided_at }) => [artifact_id, decided_at]))
}

/** 410 for an artifact whose document was removed; null for any other. */
export async function removedRefusal(db: Db, id: string): Promise<Result<never> | null> {
  const removed_at = (await removalsOf(db, [id])).get(id)
  if (!removed_at) return null
  return refuse({
    code: 'ARTIFACT_REMOVED',
    message: 'The document of this artifact was removed by retention.',
    details: { artifact_id: id, removed_at: removed_at.toISOString() },
  })
}
