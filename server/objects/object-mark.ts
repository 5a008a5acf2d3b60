import sql, { type Sql } from 'sql-template-tag'

/** How old an object must be before it is marked: work that is under way has named it by then. */
export const MIN_AGE_HOURS = 24
/** How long a marked object must stay unreferenced before it is removed. */
export const BETWEEN_PASSES_HOURS = 1
/** A removal whose end nobody recorded is repeated after this, when no request of it can be under way any more. */
export const ABANDONED_MINUTES = 15
/** For so long after a removal a request of it that was given up may still reach the store. */
export const GRACE_SECONDS = 60
/** Removed objects are remembered for longer than any attempt at a job or a step lives. */
export const REMEMBERED_DAYS = 30

/** Shared by everybody who makes a row name an object, until the end of the transaction; the trigger `object_named` takes the same lock. */
export const HOLD_MARKS: Sql = sql`SELECT pg_advisory_xact_lock_shared(hashtextextended('object_mark', 0))`
/** Exclusive: whoever has made a row name an object has committed it, and nobody else does before this transaction ends. */
export const LOCK_MARKS: Sql = sql`SELECT pg_advisory_xact_lock(hashtextextended('object_mark', 0))`

/** Of a mark `m`: the object is being removed, or was a moment ago. */
export const IN_REMOVAL: Sql = sql`(m.condemned_at IS NOT NULL AND (m.removed_at IS NULL
  OR m.removed_at > clock_timestamp() - make_interval(secs => ${GRACE_SECONDS})))`
