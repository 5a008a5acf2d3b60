import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { type OpenedSession, openSession } from './open-session.ts'

type OldSession = Row<
  'session',
  'role' | 'identity' | 'account_id' | 'zone_id' | 'address_hash' | 'consent_version'
> & { zone_ends: Date | null }

/** Replaces this session by a new one; of two at once one wins. A guest's never outlives its zone. */
export async function refreshSession(
  services: Pick<Services, 'db'>,
  caller: Caller,
): Promise<Result<OpenedSession>> {
  return services.db.transaction(async (tx) => {
    const { rows } = await tx.query<OldSession>(sql`UPDATE session s SET ended_at = clock_timestamp()
      WHERE s.sid = ${caller.sessionId ?? ''} AND s.ended_at IS NULL
      RETURNING s.role, s.identity, s.account_id, s.zone_id, s.address_hash, s.consent_version,
        (SELECT z.expires_at FROM zone z WHERE z.zone_id = s.zone_id) AS zone_ends`)
    const old = rows[0]
    if (!old) return refuse({ code: 'TOKEN_EXPIRED', message: 'The session has ended. Sign in again.' })
    const zone =
      old.zone_id && old.zone_ends && old.consent_version !== null
        ? { zoneId: old.zone_id, expiresAt: old.zone_ends, consentVersion: old.consent_version }
        : null
    const session = await openSession(tx, {
      role: old.role,
      identity: old.identity,
      ...(old.account_id ? { accountId: old.account_id } : {}),
      ...(zone ? { zone } : {}),
      via: caller.via,
      addressHash: old.address_hash ?? '',
      byPassword: false,
    })
    tx.notify('sessions')
    return ok(session)
  })
}
