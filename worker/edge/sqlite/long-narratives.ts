import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'

/**
 * Digests that stand for long narratives where observations are compared, so that SQLite sorts short keys: it holds some hundred of them at once,
 * however large.
 *
 * They are made here and not by a function inside the query, whose arguments all live as long as the query does.
 */
export type Schema = 'main' | 'remote'

/** Characters from which a narrative is long, and that are read at a time. */
const PIECE = 65_536

/** Digests the long narratives of both copies, for the transaction that compares them. */
export function digestLongNarratives(database: DatabaseSync): void {
  database.exec(
    'CREATE TEMP TABLE long_narrative (schema TEXT, at INTEGER, digest TEXT, PRIMARY KEY (schema, at))',
  )
  const insert = database.prepare('INSERT INTO long_narrative VALUES (?, ?, ?)')
  for (const schema of ['main', 'remote'] satisfies Schema[]) {
    const piece = database.prepare(
      `SELECT substr(narrative, ?, ${PIECE}) AS text FROM ${schema}.observations WHERE rowid = ?`,
    )
    const long = database
      .prepare(
        `SELECT rowid AS at, length(narrative) AS length FROM ${schema}.observations
         WHERE typeof(narrative) = 'text' AND length(narrative) > ${PIECE}`,
      )
      .all()
    for (const { at, length } of long) {
      const hash = createHash('sha256')
      for (let from = 1; from <= Number(length); from += PIECE)
        hash.update(String(piece.get(from, at as number)?.text))
      insert.run(schema, at as number, hash.digest('hex'))
    }
  }
}

/** The narrative of the row `alias` as a literal or, if it is long, its digest. */
export const shortNarrative = (schema: Schema, alias: string): string =>
  `coalesce((SELECT digest FROM long_narrative WHERE schema = '${schema}' AND at = ${alias}.rowid), quote(${alias}.narrative))`
