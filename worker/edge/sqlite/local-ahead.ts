import { EdgeFault } from '../fault.ts'
import { columnsOf } from './database-facts.ts'
import { withDatabase } from './open-database.ts'

/**
 * `local_ahead`: how many observations a pull would lose, since the remote copy does not have them [edge#local-ahead].
 *
 * An observation is known by its `content_hash` where both copies have one for it, otherwise by session, time and title. The
 * remote copy is attached, and its keys become one temporary index of SQLite, which spills to the disk: memory does not grow
 * with the databases. A doubt counts as missing: it stops a pull, which loses nothing.
 */
const PLACE = ['memory_session_id', 'created_at_epoch', 'title'] as const

/** Rows of `observations` in the local file that the remote copy lacks. Neither file is changed. Throws `EdgeFault`. */
export function countLocalAhead(local: string, remote: string): number {
  return withDatabase(local, {}, (database) => {
    database.prepare('ATTACH DATABASE ? AS remote').run(remote)
    const ours = columnsOf(database, 'main', 'observations')
    const theirs = columnsOf(database, 'remote', 'observations')
    if (ours.size === 0) return 0
    const known = theirs.size === 0 ? 'false' : isKnown(ours, theirs)
    return Number(
      database.prepare(`SELECT count(*) AS n FROM main.observations AS l WHERE NOT (${known})`).get()?.n,
    )
  })
}

/** The condition under which a local row is in the remote copy; no part of it is ever NULL. */
function isKnown(ours: Set<string>, theirs: Set<string>): string {
  const hashed = ours.has('content_hash') && theirs.has('content_hash')
  if (!hashed) return hasSameKey(ours, theirs, 'true')
  const byHash = `l.content_hash IN (SELECT content_hash FROM remote.observations WHERE content_hash IS NOT NULL)`
  return `CASE WHEN l.content_hash IS NULL THEN ${hasSameKey(ours, theirs, 'true')}
    ELSE ${byHash} OR ${hasSameKey(ours, theirs, 'content_hash IS NULL')} END`
}

/** Whether session, time and title of the local row stand in a remote row of which `which` holds. NULL equals NULL here. */
function hasSameKey(ours: Set<string>, theirs: Set<string>, which: string): string {
  for (const column of PLACE) {
    if (ours.has(column) && theirs.has(column)) continue
    throw new EdgeFault(`observations has no column ${column}: this version of claude-mem cannot be compared`)
  }
  const key = (table: string) => PLACE.map((column) => `quote(${table}${column})`).join(', ')
  return `(${key('l.')}) IN (SELECT ${key('')} FROM remote.observations WHERE ${which})`
}
