/**
 * A guest's entry ([zones#entry]): the code or the link's token, then the consent, then a session.
 *
 * Wrong attempts: 5 in a quarter of an hour per address, and 20 an hour per zone where the zone is known (its page or its link); the
 * twentieth locks the zone for an hour, in which even the right code has to wait, and an event records it. An unknown and a wrong
 * code get the same answer. A right code does not count as an attempt, whatever the zone then answers.
 */
import sql, { empty, type Sql } from 'sql-template-tag'
import type { EnterZone } from '#contracts/zone.contract.ts'
import { ANONYMOUS, type Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { zoneMachine } from '#domain/zone/zone.machine.ts'
import { readZoneCode } from '#domain/zone/zone-code.rules.ts'
import { zoneEnd } from '#domain/zone/zone-end.rules.ts'
import { clearHits } from '#server/auth/count-hit.ts'
import { type OpenedSession, openSession } from '#server/auth/open-session.ts'
import { addressHash } from '#server/auth/record-refusal.ts'
import type { ClientInfo } from '#server/auth/sign-in.ts'
import { giveBackAttempts, takeAttempts } from '#server/auth/take-attempts.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { consentTerms, TERMS } from './consent.ts'
import { codeHash, linkHash } from './zone-keys.ts'
import { zoneState } from './zone-view.ts'

type Parts = Pick<Services, 'db' | 'env'>
/** `status` is the state by the clock, `locked_for` the seconds until codes are accepted again. */
type Zone = Row<'zone', (typeof TERMS)[number] | 'status'> & { locked_for: number | null }
export type EnteredZone = {
  session: OpenedSession
  zone: { zone_id: string; name: string; expires_at: string }
}

const MAX_ZONE_ATTEMPTS = 20
const WRONG: Refusal = {
  code: 'ZONE_CODE_INVALID',
  message: 'This code opens no zone. Check it and try again.',
}

export async function enterZone(
  services: Parts,
  input: EnterZone,
  client: ClientInfo,
): Promise<Result<EnteredZone>> {
  const address = addressHash(services.env.BLOOM_ADDRESS_KEY, client.address)
  const taken = await takeAttempts(services.db, [
    { subject: `zone-code:${address}`, max: services.env.RATE_SIGN_INS, period: '15 minutes' },
  ])
  if (!taken.ok) return taken
  const zone = await zoneOf(services, input)
  if (!zone) {
    if (input.zone_id) await countWrongAttempt(services, input.zone_id)
    return refuse(WRONG)
  }
  await giveBackAttempts(services.db, taken.value)
  const end = zoneEnd(zone.status)
  if (end) return refuse(end)
  if (zone.locked_for !== null) {
    const message = 'This zone is locked after too many wrong attempts. Try again later.'
    return refuse({ code: 'RATE_LIMITED', message, retryAfter: zone.locked_for })
  }
  if (input.consent_version !== zone.consent_version) return refuse(consentAsked(zone))
  return openGuestSession(services, zone, address, client)
}

const consentAsked = (zone: Zone): Refusal => ({
  code: 'CONSENT_REQUIRED',
  message: 'Read and accept the terms of this zone first.',
  details: consentTerms(zone),
})

async function zoneOf({ db, env }: Parts, input: EnterZone): Promise<Zone | undefined> {
  const code = input.code === undefined ? null : readZoneCode(input.code)
  const key = env.BLOOM_ZONE_KEY
  const secret =
    input.token !== undefined && input.zone_id !== undefined
      ? sql`z.link_hash = ${linkHash(key, input.zone_id, input.token)} AND z.zone_id = ${input.zone_id}`
      : code === null
        ? sql`false`
        : sql`z.code_hash = ${codeHash(key, code)} AND z.zone_id = coalesce(${input.zone_id ?? null}::text, z.zone_id)`
  return readZone(db, secret)
}

async function readZone(db: Db, where: Sql, lock: Sql = empty): Promise<Zone | undefined> {
  const { rows } = await db.query<Zone>(sql`SELECT ${columns('zone', 'z', TERMS)}, ${zoneState} AS status,
      CASE WHEN z.locked_until > clock_timestamp() THEN extract(epoch FROM z.locked_until - clock_timestamp())::float8 END AS locked_for
    FROM zone z WHERE ${where} ${lock}`)
  return rows[0]
}

/** The session and its two events, under a lock on the zone: an entry and a revocation cannot pass each other. */
async function openGuestSession(
  services: Parts,
  known: Zone,
  address: string,
  client: ClientInfo,
): Promise<Result<EnteredZone>> {
  const actor: Caller = {
    role: 'guest',
    identity: `zone:${known.zone_id}`,
    via: client.via,
    zoneId: known.zone_id,
  }
  return services.db.transaction(async (tx) => {
    const zone = await readZone(tx, sql`z.zone_id = ${known.zone_id}`, sql`FOR UPDATE`)
    const end = zoneEnd(zone?.status)
    if (!zone || end) return refuse(end ?? WRONG)
    if (zone.consent_version !== known.consent_version) return refuse(consentAsked(zone))
    const session = await openSession(tx, {
      role: 'guest',
      identity: actor.identity,
      zone: { zoneId: zone.zone_id, expiresAt: zone.expires_at, consentVersion: zone.consent_version },
      via: client.via,
      addressHash: address,
      byPassword: false,
    })
    await tx.query(sql`UPDATE zone SET entries = entries + 1 WHERE zone_id = ${zone.zone_id}`)
    const resource = { type: 'zone', id: zone.zone_id }
    const base = { actor, resource, refs: { zone_id: zone.zone_id }, correlationId: client.correlationId }
    await recordEvent(tx, { ...base, name: 'zone.entered', details: { address_hash: address } })
    const details = { policy_version: zone.consent_version, address_hash: address }
    await recordEvent(tx, { ...base, name: 'zone.consented', details })
    return ok({
      session,
      zone: { zone_id: zone.zone_id, name: zone.name, expires_at: zone.expires_at.toISOString() },
    })
  })
}

async function countWrongAttempt(services: Parts, zoneId: string): Promise<void> {
  const { rowCount } = await services.db.query(sql`
    UPDATE zone SET failed_attempts = failed_attempts + 1 WHERE zone_id = ${zoneId} AND status = ${state(zoneMachine, 'open')}`)
  if (!rowCount) return
  const bound = { subject: `zone:${zoneId}`, max: MAX_ZONE_ATTEMPTS - 1, period: '1 hour' } as const
  const taken = await takeAttempts(services.db, [bound])
  if (taken.ok) return
  await services.db.transaction(async (tx) => {
    const { rowCount } =
      await tx.query(sql`UPDATE zone SET locked_until = clock_timestamp() + interval '1 hour'
      WHERE zone_id = ${zoneId} AND (locked_until IS NULL OR locked_until <= clock_timestamp())`)
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
