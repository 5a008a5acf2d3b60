import sql from 'sql-template-tag'
import type { MeView } from '#contracts/session.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'

type MeRow = Row<'session', 'expires_at' | 'zone_id'> & {
  name: string | null
  has_password: boolean
  zone_name: string
  zone_description: string
  zone_expires_at: Date
}

/** Who is signed in. Never refused: the console asks it to choose between its pages and the sign-in page. SQL: three tables joined. */
export async function getMe(
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
