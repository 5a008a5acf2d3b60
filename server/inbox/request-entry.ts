/**
 * Which request a run works on: the entry that it was requested by, and of a replay that of the run which all of it goes back to ([runs#reruns]).
 * So a replay of a run that answers a request for changes ([proposals#requesting-changes]) answers it, too.
 */
import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'

/** Null where nobody asked by an entry. */
export async function requestEntryOf(db: Db, runId: string | null): Promise<string | null> {
  const { rows } = await db.query<{ inbox_entry_id: string | null }>(sql`WITH RECURSIVE line AS (
      SELECT run_id, replay_of, inbox_entry_id FROM run WHERE run_id = ${runId}
      UNION ALL SELECT r.run_id, r.replay_of, r.inbox_entry_id FROM run r JOIN line l ON r.run_id = l.replay_of)
    SELECT inbox_entry_id FROM line WHERE replay_of IS NULL`)
  return rows[0]?.inbox_entry_id ?? null
}
