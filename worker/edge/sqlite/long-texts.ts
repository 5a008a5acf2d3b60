import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'

/**
 * Digests that stand for long texts where rows are compared, so that SQLite sorts short keys: it holds some hundred of them at once, however large.
 *
 * They are made here and not by a function inside the query, whose arguments all live as long as the query does.
 */
export type TextColumn = { schema: 'main' | 'remote'; table: string; column: string }

/** Characters from which a text is long, and that are read at a time. */
const PIECE = 65_536

/** Makes the digests of a column anew, in the transaction that compares by them. */
export function digestLongTexts(database: DatabaseSync, { schema, table, column }: TextColumn): void {
  database.exec(
    'CREATE TEMP TABLE IF NOT EXISTS long_text (schema TEXT, at INTEGER, digest TEXT, PRIMARY KEY (schema, at))',
  )
  const insert = database.prepare('INSERT INTO long_text VALUES (?, ?, ?)')
  const piece = database.prepare(
    `SELECT substr("${column}", ?, ${PIECE}) AS text FROM ${schema}."${table}" WHERE rowid = ?`,
  )
  const long = database
    .prepare(
      `SELECT rowid AS at, length("${column}") AS length FROM ${schema}."${table}"
       WHERE typeof("${column}") = 'text' AND length("${column}") > ${PIECE}`,
    )
    .all()
  for (const { at, length } of long) {
    const hash = createHash('sha256')
    for (let from = 1; from <= Number(length); from += PIECE)
      hash.update(String(piece.get(from, at as number)?.text))
    insert.run(schema, at as number, hash.digest('hex'))
  }
}

/** The value of the row `alias` as a literal or, of a long text, its digest. */
export const shortOf = ({ schema, column }: TextColumn, alias: string): string =>
  `coalesce((SELECT digest FROM long_text WHERE schema = '${schema}' AND at = ${alias}.rowid), quote(${alias}."${column}"))`
