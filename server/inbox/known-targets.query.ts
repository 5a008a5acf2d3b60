import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'

/** True when the artifact exists, which is when its row exists (D8). */
export async function artifactExists(db: Db, id: string): Promise<boolean> {
  const { rows } = await db.query(sql`SELECT 1 FROM artifact WHERE artifact_id = ${id}`)
  return rows.length > 0
}

/** True when the ledger knows an agent of this slug, in whatever state. */
export async function agentExists(db: Db, slug: string): Promise<boolean> {
  const { rows } = await db.query(sql`SELECT 1 FROM agent WHERE slug = ${slug}`)
  return rows.length > 0
}
