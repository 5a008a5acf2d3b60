import sql from 'sql-template-tag'
import { labelOfModel } from '#domain/task/model.rules.ts'
import type { Db } from '#server/ledger/database.ts'

/** Whether a Worker Node that could answer for the model is registered: one that sleeps now may come back, one that is not there never will. */
export async function servesModel(db: Db, model: string): Promise<boolean> {
  const label = labelOfModel(model)
  if (label === null) return false
  const { rows } = await db.query<{ served: boolean }>(sql`SELECT EXISTS (SELECT FROM worker_node w
    WHERE w.removed_at IS NULL AND w.can_run AND (${label} = '*' OR ${label} = ANY(w.labels))) AS served`)
  return rows[0]?.served ?? false
}
