import type { DatabaseSync } from 'node:sqlite'
import { withDatabase } from './open-database.ts'
import { countQueueAhead, QUEUE } from './queue-ahead.ts'

/**
 * Which tables besides `observations` hold more rows here than in the remote copy, and how many more [edge#backups].
 *
 * Prompts and summaries have no key that two nodes share, so rows are only counted: a difference of zero proves nothing, one above zero
 * means that a pull takes rows away. Of the queue of the worker the rows count that are not processed and not there. Indexes for search are made of
 * other tables; the list of schema versions is of one node alone.
 */
const NOT_COMPARED = ['observations', QUEUE, 'schema_versions']

/** Rows that are more here, by table; empty when none is ahead. Neither file is changed. Throws `EdgeFault`. */
export function countTablesAhead(local: string, remote: string): Record<string, number> {
  const here = withDatabase(local, {}, rowsByTable)
  const there = withDatabase(remote, {}, rowsByTable)
  const ahead = [...here].map(([table, rows]) => [table, rows - (there.get(table) ?? 0)] as const)
  const queue = [QUEUE, countQueueAhead(local, remote)] as const
  return Object.fromEntries([...ahead, queue].filter(([, rows]) => rows > 0))
}

function rowsByTable(database: DatabaseSync): Map<string, number> {
  const tables = database
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !name.startsWith('sqlite_') && !NOT_COMPARED.includes(name))
  return new Map(tables.map((table) => [table, countOf(database, table)]))
}

const countOf = (database: DatabaseSync, table: string): number =>
  Number(database.prepare(`SELECT count(*) AS n FROM "${table.replaceAll('"', '""')}"`).get()?.n)
