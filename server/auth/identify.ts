/**
 * Who calls: from the bearer token or the session cookie to a `Caller`, by the ledger's session row with every request.
 *
 * A session is live while it has not ended or expired, its account is not disabled, and it was used within the last 12 hours
 * (owner, operator); a guest's also needs its zone to be open. `refusal` is what every guarded action answers to this caller;
 * open actions (signing in, signing out, consenting) ignore it [auth#sessions].
 */
import sql from 'sql-template-tag'
import { ANONYMOUS, type Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { zoneMachine } from '#domain/zone/zone.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import type { Because } from './record-refusal.ts'
import type { RequestFacts } from './request-facts.ts'
import { cookieName, readCookie } from './session-cookie.ts'
import { type Audience, readToken } from './session-token.ts'

export type Identified = {
  caller: Caller
  /** A password was entered within the last five minutes [auth#step-up]. */
  steppedUp: boolean
  refusal: Refusal | null
  /** Why, where the audit shall know more than the caller is told. */
  because?: Because
  /** True when a cookie speaks for the caller, so that the CSRF rule applies. */
  byCookie: boolean
}

type SessionRow = Row<'session', 'sid' | 'role' | 'identity' | 'account_id' | 'zone_id'> & {
  state: 'live' | 'ended' | 'zone_revoked' | 'zone_expired'
  consent_missing: boolean
  stepped_up: boolean
  stale: boolean
}

export const EXPIRED: Refusal = { code: 'TOKEN_EXPIRED', message: 'The session has ended. Sign in again.' }
const INVALID: Refusal = { code: 'AUTH_REQUIRED', message: 'Sign in first.' }

export async function identify(
  services: Pick<Services, 'db' | 'env'>,
  facts: RequestFacts,
): Promise<Identified> {
  const bearer = /^Bearer ([A-Za-z0-9._-]{1,4096})$/i.exec(facts.headers.get('authorization') ?? '')?.[1]
  const cookie = readCookie(facts.headers.get('cookie'), cookieName(services.env.PUBLIC_URL))
  if (facts.headers.has('authorization')) return fromToken(services, 'bearer', bearer, facts)
  if (cookie) return fromToken(services, 'cookie', cookie, facts)
  return { caller: anonymous(facts), steppedUp: false, refusal: null, byCookie: false }
}

const anonymous = (facts: RequestFacts): Caller => ({ ...ANONYMOUS, correlationId: facts.correlationId })

async function fromToken(
  services: Pick<Services, 'db' | 'env'>,
  audience: Audience,
  token: string | undefined,
  facts: RequestFacts,
): Promise<Identified> {
  const byCookie = audience === 'cookie'
  const anonymously = (refusal: Refusal) => ({
    caller: anonymous(facts),
    steppedUp: false,
    refusal,
    byCookie,
  })
  const read = token ? await readToken(services.env.BLOOM_SESSION_KEY, audience, token) : 'invalid'
  if (read === 'expired') return anonymously(EXPIRED)
  if (read === 'invalid') return anonymously(INVALID)
  const row = await sessionRow(services.db, read.sid)
  if (!row) return anonymously(INVALID)
  if (row.state !== 'live') return anonymously(END_OF[row.state])
  if (row.stale) await touch(services.db, row.sid)
  return {
    caller: toCaller(row, byCookie ? 'console' : 'api', facts.correlationId),
    steppedUp: row.stepped_up,
    refusal: row.consent_missing ? CONSENT : null,
    byCookie,
  }
}

const CONSENT: Refusal = {
  code: 'CONSENT_REQUIRED',
  message: 'Read and accept the terms of this zone first.',
}
const END_OF = {
  ended: EXPIRED,
  zone_revoked: { code: 'ZONE_REVOKED', message: 'The owner has closed this zone.' },
  zone_expired: { code: 'ZONE_EXPIRED', message: 'This zone has expired.' },
} satisfies Record<string, Refusal>

const toCaller = (row: SessionRow, via: Caller['via'], correlationId: string): Caller => ({
  role: row.role,
  identity: row.identity,
  via,
  sessionId: row.sid,
  correlationId,
  ...(row.zone_id ? { zoneId: row.zone_id } : {}),
  ...(row.account_id ? { accountId: row.account_id } : {}),
})

/** Reading costs one primary-key look-up; `last_seen_at` is written at most once a minute. */
async function sessionRow(db: Db, sid: string): Promise<SessionRow | undefined> {
  const { rows } = await db.query<SessionRow>(
    prepared(sql`
    SELECT s.sid, s.role, s.identity, s.account_id, s.zone_id,
      CASE WHEN z.status = ${state(zoneMachine, 'revoked')} THEN 'zone_revoked'
        WHEN z.status = ${state(zoneMachine, 'expired')} OR z.expires_at <= clock_timestamp() THEN 'zone_expired'
        WHEN s.ended_at IS NOT NULL OR s.expires_at <= clock_timestamp() OR a.disabled_at IS NOT NULL
          OR (s.role <> 'guest' AND s.last_seen_at <= clock_timestamp() - interval '12 hours') THEN 'ended'
        ELSE 'live' END AS state,
      z.zone_id IS NOT NULL AND s.consent_version IS DISTINCT FROM z.consent_version AS consent_missing,
      coalesce(s.step_up_at > clock_timestamp() - interval '5 minutes', false) AS stepped_up,
      s.last_seen_at <= clock_timestamp() - interval '1 minute' AS stale
    FROM session s LEFT JOIN zone z ON z.zone_id = s.zone_id LEFT JOIN account a ON a.account_id = s.account_id
    WHERE s.sid = ${sid}`),
  )
  return rows[0]
}

/** True while the session is live and its consent given; open streams ask this repeatedly. */
export async function sessionHolds(db: Db, sid: string): Promise<boolean> {
  const row = await sessionRow(db, sid)
  return row?.state === 'live' && !row.consent_missing
}

async function touch(db: Db, sid: string): Promise<void> {
  await db.query(
    sql`UPDATE session SET last_seen_at = clock_timestamp() WHERE sid = ${sid} AND ended_at IS NULL`,
  )
}
