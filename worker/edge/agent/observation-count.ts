import fs from 'node:fs'
import type { Settings } from '../config/settings.ts'
import { columnsOf } from '../sqlite/database-facts.ts'
import { withDatabase } from '../sqlite/open-database.ts'

/**
 * How many observations the live database holds, for heartbeats [edge#heartbeats].
 *
 * Counted again only when the file or its WAL has changed: a beat comes every few seconds, and while the database is open here, a pull
 * would be refused. Unknown (null) while a command of this node is at work in it, when it is locked, damaged or away, and above
 * `MEMBRIDGE_MAX_DB_BYTES`; the control plane then keeps what it knows.
 */
const BUSY_MS = 50

type Counted = Pick<Settings, 'CLAUDE_MEM_DB' | 'MEMBRIDGE_MAX_DB_BYTES'> & { isBusy: () => boolean }

export function createObservationCount(settings: Counted): () => number | null {
  const { CLAUDE_MEM_DB: file, MEMBRIDGE_MAX_DB_BYTES: limit, isBusy } = settings
  let last: { state: string; count: number } | null = null
  return () => {
    if (file === undefined || isBusy()) return null
    const state = stateOf(file, limit)
    if (state === null) return null
    if (last?.state !== state) {
      const count = countOf(file)
      last = count === null ? null : { state, count }
    }
    return last?.count ?? null
  }
}

/** What changes whenever somebody writes; null where nothing can be counted. A reader's empty `-wal` is none. */
function stateOf(file: string, limit: number): string | null {
  const [database, wal] = [file, `${file}-wal`].map((path) => fs.statSync(path, { throwIfNoEntry: false }))
  if (!database?.isFile() || database.size + (wal?.size ?? 0) > limit) return null
  return [database, wal].map((of) => (of?.size ? `${of.ino}:${of.size}:${of.mtimeMs}` : '')).join()
}

function countOf(file: string): number | null {
  try {
    return withDatabase(file, { busyMs: BUSY_MS }, (database) =>
      columnsOf(database, 'main', 'observations').size === 0
        ? 0
        : Number(database.prepare('SELECT count(*) AS n FROM observations').get()?.n),
    )
  } catch {
    return null
  }
}
