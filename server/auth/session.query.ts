import sql from 'sql-template-tag'
import type { MeView, SessionView } from '#contracts/session.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import type { Services } from '#server/composition/services.ts'
import { sessionName } from './end-session.ts'

type MeRow = {
  name: string | null
  has_password: boolean
  expires_at: Date
  zone_id: string | null
  zone_name: string
  zone_description: string
  zone_expires_at: Date
}

/** Who this is; never refused, since the console asks it to know whether to show the door. */
export async function me(
  services: Pick<Services, 'db'>,
  who: { caller: Caller; steppedUp: boolean; refusal: Refusal | null },
): Promise<MeView> {
  const { caller, steppedUp, refusal } = who
  const ended = refusal?.code ?? null
  const { rows } = await services.db.query<MeRow>(sql`
    SELECT a.name, a.password_hash IS NOT NULL AS has_password, s.expires_at, z.zone_id, z.name AS zone_name,
      z.description AS zone_description, z.expires_at AS zone_expires_at
    FROM session s LEFT JOIN account a USING (account_id) LEFT JOIN zone z USING (zone_id) WHERE s.sid = ${caller.sessionId ?? ''}`)
  const row = rows[0]
  if (!row || (caller.role !== 'owner' && caller.role !== 'operator' && caller.role !== 'guest')) {
    const nobody = {
      role: 'anonymous',
      identity: 'anonymous',
      name: null,
      expires_at: null,
      zone: null,
    } as const
    return { ...nobody, stepped_up: false, has_password: false, ended }
  }
  const zone = row.zone_id && {
    zone_id: row.zone_id,
    name: row.zone_name,
    description: row.zone_description,
    expires_at: row.zone_expires_at.toISOString(),
  }
  return {
    role: caller.role,
    identity: caller.identity,
    name: row.name,
    stepped_up: steppedUp,
    has_password: row.has_password,
    expires_at: row.expires_at.toISOString(),
    zone: zone || null,
    ended,
  }
}

/** The open sessions of the caller's account, the latest used first. */
export async function listSessions(services: Pick<Services, 'db'>, caller: Caller): Promise<SessionView[]> {
  const { rows } = await services.db.query<{
    sid: string
    via: string
    created_at: Date
    last_seen_at: Date
    expires_at: Date
  }>(
    sql`SELECT sid, via, created_at, last_seen_at, expires_at FROM session
      WHERE account_id = ${caller.accountId ?? null} AND ended_at IS NULL AND expires_at > clock_timestamp()
        AND last_seen_at > clock_timestamp() - interval '12 hours'
      ORDER BY last_seen_at DESC LIMIT 200`,
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
