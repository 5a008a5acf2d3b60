import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'

/** How long a session may live: owner and operator 24 h, a guest to the end of the zone and at most 24 h. */
const MAX_LIFETIME = '24 hours'

export type NewSession = {
  role: Row<'session', 'role'>['role']
  identity: string
  accountId?: string
  zone?: { zoneId: string; expiresAt: Date; consentVersion: number }
  via: Caller['via']
  addressHash: string
  /** A password was typed just now. */
  byPassword: boolean
}

export type OpenedSession = {
  sid: string
  role: NewSession['role']
  identity: string
  zoneId?: string
  expiresAt: Date
}

/** Opens a session with a fresh id; part of the caller's transaction, beside its event. */
export async function openSession(tx: Db, s: NewSession): Promise<OpenedSession> {
  const sid = randomBytes(24).toString('base64url')
  const end = s.zone
    ? sql`least(${s.zone.expiresAt}::timestamptz, clock_timestamp() + ${MAX_LIFETIME}::interval)`
    : sql`clock_timestamp() + ${MAX_LIFETIME}::interval`
  const { rows } = await tx.query<Row<'session', 'expires_at'>>(sql`
    INSERT INTO session (sid, role, identity, account_id, zone_id, via, address_hash, consent_version, consented_at, step_up_at, expires_at)
    VALUES (${sid}, ${s.role}, ${s.identity}, ${s.accountId ?? null}, ${s.zone?.zoneId ?? null}, ${s.via}, ${s.addressHash},
      ${s.zone?.consentVersion ?? null}, ${s.zone ? sql`clock_timestamp()` : null}, ${s.byPassword ? sql`clock_timestamp()` : null}, ${end})
    RETURNING expires_at`)
  const expiresAt = rows[0]?.expires_at as Date
  return { sid, role: s.role, identity: s.identity, expiresAt, ...(s.zone ? { zoneId: s.zone.zoneId } : {}) }
}
