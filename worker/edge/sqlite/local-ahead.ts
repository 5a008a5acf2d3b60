import { EdgeFault } from '../fault.ts'
import { columnsOf } from './database-facts.ts'
import { digestLongNarratives, type Schema, shortNarrative } from './long-narratives.ts'
import { withDatabase } from './open-database.ts'

/**
 * `local_ahead`: how many observations a pull would lose, since the remote copy does not have them [edge#local-ahead].
 *
 * Observations are counted by key, so that two equal ones here are not both found in one there. The key is `content_hash` where both rows have
 * one, otherwise session, time, title, type and narrative. The remote copy is attached, and what is counted is sorted by SQLite, which
 * spills to the disk; keys are short, since a digest stands for a long narrative. So memory does not grow with the databases. A doubt counts
 * as missing: it stops a pull, which loses nothing.
 */
const PLACE = ['memory_session_id', 'created_at_epoch', 'title'] as const
/** Tell two observations of one place apart, where both copies have them. */
const CONTENT = ['type', 'narrative'] as const

/** Rows of `observations` in the local file that the remote copy lacks. Neither file is changed. Throws `EdgeFault`. */
export function countLocalAhead(local: string, remote: string): number {
  return withDatabase(local, {}, (database) => {
    database.prepare('ATTACH DATABASE ? AS remote').run(remote)
    const ours = columnsOf(database, 'main', 'observations')
    const theirs = columnsOf(database, 'remote', 'observations')
    if (ours.size === 0) return 0
    if (theirs.size === 0)
      return Number(database.prepare('SELECT count(*) AS n FROM main.observations').get()?.n)
    const sql = sqlOf(ours, theirs)
    database.exec('BEGIN')
    if (ours.has('narrative') && theirs.has('narrative')) digestLongNarratives(database)
    return Number(database.prepare(sql).get()?.n)
  })
}

/**
 * Of each key: rows here whose hash is not there can only be found among the rows there that have no hash; rows here without a hash among those
 * and the rows there whose hash is not here. The latter are used up first.
 */
function sqlOf(ours: Set<string>, theirs: Set<string>): string {
  const hashed = ours.has('content_hash') && theirs.has('content_hash')
  const rows = (schema: Schema, which: string, counts: string) =>
    `SELECT ${keyOf(schema, ours, theirs)} AS key, ${counts} FROM ${schema}.observations AS o WHERE ${which}`
  const bare = hashed ? 'content_hash IS NULL' : 'true'
  const parts = [
    rows('main', bare, '0 AS hashed, 1 AS bare, 0 AS bare_there, 0 AS hashed_there'),
    rows('remote', bare, '0, 0, 1, 0'),
  ]
  if (hashed)
    parts.push(
      rows('main', `o.rowid IN (${unmatched('main', 'remote')})`, '1, 0, 0, 0'),
      rows('remote', `o.rowid IN (${unmatched('remote', 'main')})`, '0, 0, 0, 1'),
    )
  return `SELECT coalesce(sum(ahead), 0) AS n FROM (
    SELECT max(0, sum(hashed) + max(0, sum(bare) - sum(hashed_there)) - sum(bare_there)) AS ahead
    FROM (${parts.join(' UNION ALL ')}) GROUP BY key)`
}

/** Rows whose hash stands more often in `schema` than in the other copy: those beyond its number there. */
const unmatched = (schema: Schema, other: Schema): string => `
  SELECT at FROM (
    SELECT rowid AS at, content_hash AS hash, row_number() OVER (PARTITION BY content_hash) AS number
    FROM ${schema}.observations WHERE content_hash IS NOT NULL
  ) LEFT JOIN (
    SELECT content_hash AS known, count(*) AS times
    FROM ${other}.observations WHERE content_hash IS NOT NULL GROUP BY content_hash
  ) ON known = hash WHERE number > coalesce(times, 0)`

/** One text of the row `o`, in which NULL equals NULL and differs from the text NULL. */
function keyOf(schema: Schema, ours: Set<string>, theirs: Set<string>): string {
  const both = (column: string) => ours.has(column) && theirs.has(column)
  const missing = PLACE.find((column) => !both(column))
  if (missing !== undefined)
    throw new EdgeFault(
      `observations has no column ${missing}: this version of claude-mem cannot be compared`,
    )
  const textOf = (column: string) =>
    column === 'narrative' ? shortNarrative(schema, 'o') : `quote(o.${column})`
  return [...PLACE, ...CONTENT.filter(both)].map(textOf).join(` || ',' || `)
}
