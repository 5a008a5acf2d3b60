import type { DatabaseSync } from 'node:sqlite'
import { EdgeFault } from '../fault.ts'

/** How much a database holds, as `manifest.json` names it. A table that is not there counts as empty. */
export type DatabaseCounts = {
  observations: number
  session_summaries: number
  user_prompts: number
  /** Number of tables, those of full-text indexes included. */
  tables: number
}

const COUNTED = ['observations', 'session_summaries', 'user_prompts'] as const

/** Counts in one read transaction, so that they belong together. */
export function countsOf(database: DatabaseSync): DatabaseCounts {
  database.exec('BEGIN')
  try {
    const tables = numberOf(database, "SELECT count(*) AS n FROM sqlite_master WHERE type = 'table'")
    const [observations = 0, session_summaries = 0, user_prompts = 0] = COUNTED.map((table) =>
      columnsOf(database, 'main', table).size === 0
        ? 0
        : numberOf(database, `SELECT count(*) AS n FROM ${table}`),
    )
    return { observations, session_summaries, user_prompts, tables }
  } finally {
    database.exec('ROLLBACK')
  }
}

/** The columns of a table; none when there is no such table. */
export function columnsOf(database: DatabaseSync, schema: 'main' | 'remote', table: string): Set<string> {
  const rows = database.prepare('SELECT name FROM pragma_table_info(?, ?)').all(table, schema)
  return new Set(rows.map((row) => String(row.name)))
}

/** The bytes the database takes without what lies in `-wal` twice: pages times their size. */
export const logicalBytes = (database: DatabaseSync): number =>
  numberOf(database, 'SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size')

/** Throws `EdgeFault` with SQLite's first finding unless the whole database is sound. */
export function checkIntegrity(database: DatabaseSync, path: string): void {
  const found = String(database.prepare('PRAGMA integrity_check(1)').get()?.integrity_check ?? 'no answer')
  if (found !== 'ok')
    throw new EdgeFault(
      `${path} is corrupt (${found.split('\n').join(' ')}): rename it and pull, or put back a backup`,
    )
}

function numberOf(database: DatabaseSync, sql: string): number {
  return Number(database.prepare(sql).get()?.n)
}
