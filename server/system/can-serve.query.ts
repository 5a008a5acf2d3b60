import sql from 'sql-template-tag'
import type { Services } from '#server/services.ts'

/** True when the process can serve: the ledger answers with the current schema. Public, so it says nothing more. */
export async function canServe({ db }: Pick<Services, 'db'>): Promise<boolean> {
  try {
    await db.query(sql`SELECT seq FROM event_head`)
    return true
  } catch {
    return false
  }
}
