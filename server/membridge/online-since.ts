import sql, { type Sql } from 'sql-template-tag'
import { ONLINE_SECONDS } from '#domain/membridge/liveness.rules.ts'

/**
 * Whoever was heard after this moment is online. The clock is that of the statement's begin: asked once and not for each row, and one moment for
 * all of them, so that PostgreSQL may join by it.
 */
export const onlineSince: Sql = sql`(SELECT statement_timestamp() - make_interval(secs => ${ONLINE_SECONDS}))`
