import sql from 'sql-template-tag'
import type { SessionView } from '#contracts/session.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { sessionName } from './end-session.ts'

const SHOWN = ['sid', 'via', 'created_at', 'last_seen_at', 'expires_at'] as const

/** True of a session `s` that is still open; a guest's is bounded by its zone instead. SQL: dated by the database clock. */
export const OPEN_SESSION = sql`s.ended_at IS NULL AND s.expires_at > clock_timestamp()
  AND s.last_seen_at > clock_timestamp() - interval '12 hours'`

/** The open sessions of the caller's account, the latest used first; at most 200. */
export async function listSessions(services: Pick<Services, 'db'>, caller: Caller): Promise<SessionView[]> {
  const { rows } = await services.db.query<Row<'session', (typeof SHOWN)[number]>>(
    sql`SELECT ${columns('session', 's', SHOWN)} FROM session s
      WHERE s.account_id = ${caller.accountId ?? null} AND ${OPEN_SESSION} ORDER BY s.last_seen_at DESC LIMIT 200`,
  )
  return rows.map((row) => ({
    session: sessionName(row.sid),
    current: row.sid === caller.sessionId,
    via: row.via,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }))
}
