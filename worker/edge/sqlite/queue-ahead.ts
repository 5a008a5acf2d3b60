import { columnsOf } from './database-facts.ts'
import { withDatabase } from './open-database.ts'

/** The queue of the worker of claude-mem: what was seen in a session and is not an observation yet. */
export const QUEUE = 'pending_messages'

/** States in which the worker is done with a row; in any other, it is still to be processed. */
const DONE = "('processed', 'completed', 'failed')"
/** What the worker writes into a row that waits. */
const WRITTEN_LATER =
  /^(?:id|status|retry_count|worker_pid|(?:started_processing|processed|completed|failed)_at(?:_epoch)?)$/

/**
 * Rows of the queue that are not processed and that a pull would take away, since the remote copy does not have them [edge#backups]. A queue is of one
 * node, but a copy that was pulled brought the rows of another. A doubt counts as missing.
 */
export function countQueueAhead(local: string, remote: string): number {
  return withDatabase(local, {}, (database) => {
    database.prepare('ATTACH DATABASE ? AS remote').run(remote)
    const ours = columnsOf(database, 'main', QUEUE)
    if (ours.size === 0) return 0
    const theirs = columnsOf(database, 'remote', QUEUE)
    const waits = ours.has('status') ? `(o.status IS NULL OR o.status NOT IN ${DONE})` : 'true'
    const shared = [...ours].filter((column) => theirs.has(column) && !WRITTEN_LATER.test(column))
    const same = [...(ours.has('id') && theirs.has('id') ? ['id'] : []), ...shared]
      .map((column) => `"${column.replaceAll('"', '""')}"`)
      .map((column) => `r.${column} IS o.${column}`)
      .join(' AND ')
    const missing =
      shared.length === 0 ? 'true' : `NOT EXISTS (SELECT 1 FROM remote.${QUEUE} AS r WHERE ${same})`
    const sql = `SELECT count(*) AS n FROM main.${QUEUE} AS o WHERE ${waits} AND ${missing}`
    return Number(database.prepare(sql).get()?.n)
  })
}
