import sql, { type Sql } from 'sql-template-tag'

/** Whoever gives an agent's lane to a run holds this to the end of the transaction: one process decides at a time. */
export const QUEUE_LOCK: Sql = sql`SELECT pg_advisory_xact_lock(hashtext('run.enqueue'))`
