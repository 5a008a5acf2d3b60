import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Services } from '#server/services.ts'

/** What a scenario is made on: the instance's own services, over the demo garden. */
export type Ground = Services

/** Who does in a scenario what a person would do. */
export const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console' }

/** What an operation returned; its refusal is thrown. */
export function given<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.refusal.code}: ${result.refusal.message}`)
  return result.value
}

/** Whether somebody has worked with this ledger. */
export async function isUsed(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ used: boolean }>(sql`SELECT
    EXISTS (SELECT 1 FROM inbox_entry) OR EXISTS (SELECT 1 FROM proposal) OR EXISTS (SELECT 1 FROM run)
    OR EXISTS (SELECT 1 FROM job) OR EXISTS (SELECT 1 FROM artifact) OR EXISTS (SELECT 1 FROM zone) AS used`)
  return rows[0]?.used ?? false
}
