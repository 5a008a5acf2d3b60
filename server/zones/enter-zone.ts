/**
 * A guest's entry (contract page 09, section 4): the code or the link's token, then the consent, then a session.
 *
 * Wrong tries: 5 in a quarter of an hour per address, and 20 an hour per zone where the zone is known (its page or its link);
 * the twentieth lets the zone rest for an hour, in which even the right code has to wait, and the owner is told. An unknown and
 * a wrong code are the same answer. A right code gives its try back, whatever the zone then answers.
 */
import sql from 'sql-template-tag'
import type { ConsentAsked, EnterZone } from '#contracts/zone.contract.ts'
import { ANONYMOUS, type Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { readZoneCode } from '#domain/zone/zone-code.rules.ts'
import { clearHits } from '#server/auth/count-hit.ts'
import { type OpenedSession, openSession } from '#server/auth/open-session.ts'
import { addressHash } from '#server/auth/record-refusal.ts'
import type { ClientInfo } from '#server/auth/sign-in.ts'
import { giveBackAttempts, takeAttempts } from '#server/auth/take-attempts.ts'
import type { Services } from '#server/composition/services.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { codeHash, linkHash } from './zone-keys.ts'

type Needs = Pick<Services, 'database' | 'db' | 'env'>
type Zone = {
  zone_id: string
  name: string
  state: 'open' | 'expired' | 'revoked'
  consent_policy: string
  consent_version: number
  expires_at: Date
  rest: number | null
}
export type EnteredZone = {
  session: OpenedSession
  zone: { zone_id: string; name: string; expires_at: string }
}

const TRIES_OF_A_ZONE = 20
const WRONG: Refusal = {
  code: 'ZONE_CODE_INVALID',
  message: 'This code opens no zone. Check it and try again.',
}
const OVER = {
  expired: { code: 'ZONE_EXPIRED', message: 'The time of this zone is over.' },
  revoked: { code: 'ZONE_REVOKED', message: 'The owner has closed this zone.' },
} satisfies Record<string, Refusal>

export async function enterZone(
  services: Needs,
  input: EnterZone,
  door: ClientInfo,
): Promise<Result<EnteredZone>> {
  const address = addressHash(services.env.BLOOM_SESSION_KEY, door.address)
  const taken = await takeAttempts(services.database, [
    { subject: `zone-code:${address}`, max: services.env.RATE_SIGN_INS, period: '15 minutes' },
  ])
  if (!taken.ok) return taken
  const zone = await zoneOf(services, input)
  if (!zone) {
    if (input.zone_id) await countWrongTry(services, input.zone_id)
    return refuse(WRONG)
  }
  await giveBackAttempts(services.database, taken.value)
  if (zone.state !== 'open') return refuse(OVER[zone.state])
  if (zone.rest !== null) {
    return refuse({
      code: 'RATE_LIMITED',
      message: 'This zone rests after too many wrong tries.',
      retryAfter: zone.rest,
    })
  }
  if (input.consent_version !== zone.consent_version) return refuse(consentAsked(zone))
  return letIn(services, zone, address, door)
}

function consentAsked(zone: Zone): Refusal {
  const details: ConsentAsked = {
    zone_id: zone.zone_id,
    name: zone.name,
    policy: zone.consent_policy,
    policy_version: zone.consent_version,
    expires_at: zone.expires_at.toISOString(),
  }
  return { code: 'CONSENT_REQUIRED', message: 'Read and accept the terms of this zone first.', details }
}

async function zoneOf({ db, env }: Needs, input: EnterZone): Promise<Zone | undefined> {
  const code = input.code === undefined ? null : readZoneCode(input.code)
  const key = env.BLOOM_ZONE_KEY
  const secret =
    input.token !== undefined && input.zone_id !== undefined
      ? sql`link_hash = ${linkHash(key, input.zone_id, input.token)} AND zone_id = ${input.zone_id}`
      : code === null
        ? sql`false`
        : sql`code_hash = ${codeHash(key, code)} AND zone_id = coalesce(${input.zone_id ?? null}::text, zone_id)`
  return readZone(db, secret)
}

async function readZone(db: Db, where: ReturnType<typeof sql>, lock = sql``): Promise<Zone | undefined> {
  const { rows } = await db.query<Zone>(sql`SELECT zone_id, name,
      CASE WHEN status = 'open' AND expires_at <= clock_timestamp() THEN 'expired' ELSE status END AS state,
      consent_policy, consent_version, expires_at,
      CASE WHEN rests_until > clock_timestamp() THEN extract(epoch FROM rests_until - clock_timestamp())::float8 END AS rest
    FROM zone WHERE ${where} ${lock}`)
  return rows[0]
}

/** The session and its two events, under a lock on the zone: an entry and a revocation cannot pass each other. */
async function letIn(
  services: Needs,
  known: Zone,
  address: string,
  door: ClientInfo,
): Promise<Result<EnteredZone>> {
  const actor: Caller = {
    role: 'guest',
    identity: `zone:${known.zone_id}`,
    via: door.via,
    zoneId: known.zone_id,
  }
  return services.database.transaction(async (tx) => {
    const zone = await readZone(tx, sql`zone_id = ${known.zone_id}`, sql`FOR UPDATE`)
    if (zone?.state !== 'open') return refuse(OVER[zone?.state === 'expired' ? 'expired' : 'revoked'])
    if (zone.consent_version !== known.consent_version) return refuse(consentAsked(zone))
    const session = await openSession(tx, {
      role: 'guest',
      identity: actor.identity,
      zone: { zoneId: zone.zone_id, expiresAt: zone.expires_at, consentVersion: zone.consent_version },
      via: door.via,
      addressHash: address,
      byPassword: false,
    })
    await tx.query(sql`UPDATE zone SET entries = entries + 1 WHERE zone_id = ${zone.zone_id}`)
    const resource = { type: 'zone', id: zone.zone_id }
    const base = { actor, resource, refs: { zone_id: zone.zone_id }, correlationId: door.correlationId }
    await recordEvent(tx, { ...base, name: 'zone.entered', details: { address_hash: address } })
    const details = { policy_version: zone.consent_version, address_hash: address }
    await recordEvent(tx, { ...base, name: 'zone.consented', details })
    return ok({
      session,
      zone: { zone_id: zone.zone_id, name: zone.name, expires_at: zone.expires_at.toISOString() },
    })
  })
}

async function countWrongTry(services: Needs, zoneId: string): Promise<void> {
  const { rows } = await services.db.query<{ open: boolean }>(sql`
    UPDATE zone SET wrong_tries = wrong_tries + 1 WHERE zone_id = ${zoneId} AND status = 'open' RETURNING true AS open`)
  if (rows.length === 0) return
  const bound = { subject: `zone:${zoneId}`, max: TRIES_OF_A_ZONE - 1, period: '1 hour' } as const
  const taken = await takeAttempts(services.database, [bound])
  if (taken.ok) return
  await services.database.transaction(async (tx) => {
    const { rowCount } =
      await tx.query(sql`UPDATE zone SET rests_until = clock_timestamp() + interval '1 hour'
      WHERE zone_id = ${zoneId} AND (rests_until IS NULL OR rests_until <= clock_timestamp())`)
    if (!rowCount) return
    await clearHits(tx, bound.subject)
    const resource = { type: 'zone', id: zoneId }
    await recordEvent(tx, {
      name: 'zone.rested',
      actor: ANONYMOUS,
      resource,
      refs: { zone_id: zoneId },
      details: { hours: 1 },
    })
  })
}
