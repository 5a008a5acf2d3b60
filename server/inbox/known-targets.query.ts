/** Whether the thing that an entry names exists: in the ledger, or in the garden at the head that the entry is checked against. */
import sql from 'sql-template-tag'
import { type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import type { DraftContext } from './draft.ts'

/** True when the artifact's row exists. */
async function artifactExists(db: Db, id: string): Promise<boolean> {
  const { rows } = await db.query(sql`SELECT 1 FROM artifact WHERE artifact_id = ${id}`)
  return rows.length > 0
}

/** True when the ledger knows an agent of this slug, in whatever state. */
export async function agentExists(db: Db, slug: string): Promise<boolean> {
  const { rows } = await db.query(sql`SELECT 1 FROM agent WHERE slug = ${slug}`)
  return rows.length > 0
}

/** 404 `TARGET_NOT_FOUND` when what is edited, commented on, tagged or summarised does not exist. */
export async function missingTarget({
  db,
  garden,
  head,
  target,
}: Pick<DraftContext, 'db' | 'garden' | 'head' | 'target'>): Promise<Result<never> | null> {
  const missing = () => refuse({ code: 'TARGET_NOT_FOUND', message: 'The target does not exist.' })
  if (target.space === 'artifacts') return (await artifactExists(db, target.artifactId)) ? null : missing()
  if (target.space === 'agents' && !target.path)
    return (await agentExists(db, target.slug)) ? null : missing()
  const path = 'path' in target ? target.path : null
  return path && (await garden.read(path, head)) ? null : missing()
}
