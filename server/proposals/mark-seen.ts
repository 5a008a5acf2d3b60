import sql from 'sql-template-tag'
import type { Services } from '#server/composition/services.ts'

/** Notes that the owner had this on the screen; the first time counts. Says whether it was news. */
export async function markSeen(
  { db }: Pick<Services, 'db'>,
  { proposal_id: id }: { proposal_id: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    sql`UPDATE proposal SET seen_at = clock_timestamp() WHERE proposal_id = ${id} AND seen_at IS NULL`,
  )
  return (rowCount ?? 0) > 0
}
