import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { zoneMachine } from '#domain/zone/zone.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { EXPIRED } from './identify.ts'
import { accountOfSession, holdAccount } from './lock-account.ts'
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
  const sid = caller.sessionId ?? ''
  return services.db.transaction(async (tx) => {
    // Without this lock whoever ends the sessions at this moment would wait for the old row and never see the new one.
    if (!(await holdOwner(tx, sid))) return refuse(EXPIRED)
    const { rows } = await tx.query<OldSession>(sql`UPDATE session s SET ended_at = clock_timestamp()
      WHERE s.sid = ${sid} AND s.ended_at IS NULL
      RETURNING s.role, s.identity, s.account_id, s.zone_id, s.address_hash, s.consent_version,
        (SELECT z.expires_at FROM zone z WHERE z.zone_id = s.zone_id) AS zone_ends`)
    const old = rows[0]
    if (!old) return refuse(EXPIRED)
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

/** Locks the active account or the open zone that the session belongs to; false where there is none. */
async function holdOwner(tx: Db, sid: string): Promise<boolean> {
  if (await holdAccount(tx, accountOfSession(sid))) return true
  const { rows } = await tx.query(sql`SELECT z.zone_id FROM zone z
    WHERE z.zone_id = (SELECT s.zone_id FROM session s WHERE s.sid = ${sid}) AND z.status = ${state(zoneMachine, 'open')} FOR SHARE`)
  return rows.length > 0
}
