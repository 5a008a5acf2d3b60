import sql from 'sql-template-tag'
import type { ZoneView } from '#contracts/zone.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { can } from '#domain/kernel/machine.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { type ZoneState, zoneMachine } from '#domain/zone/zone.machine.ts'
import { endSessionsOf } from '#server/auth/end-session.ts'
import type { Services } from '#server/composition/services.ts'
import type { Db } from '#server/ledger/database.ts'
import { move } from '#server/ledger/move.ts'
import { zoneById } from './zone.query.ts'

type Needs = Pick<Services, 'database' | 'db' | 'hints'>
type Change = { zone_id: string; minutes?: number | undefined; consent_policy?: string | undefined }

/** Sets the end to so many minutes from now, or a new consent text with the next version, which every guest is asked again. */
export async function changeZone(services: Needs, input: Change, caller: Caller): Promise<Result<ZoneView>> {
  const { zone_id, minutes, consent_policy } = input
  const end =
    minutes === undefined
      ? sql`t.expires_at`
      : sql`clock_timestamp() + make_interval(mins => ${minutes}::int)`
  const terms =
    consent_policy === undefined
      ? sql``
      : sql`, consent_policy = ${consent_policy}, consent_version = t.consent_version + 1`
  const moved = await services.database.transaction(async (tx) => {
    const rows = await move(tx, {
      machine: 'zone',
      event: 'extend',
      where: sql`o.zone_id = ${zone_id} AND o.expires_at > clock_timestamp()`,
      set: sql`expires_at = ${end}${terms}`,
      actor: caller,
      details: sql`jsonb_build_object('expires_at', m.expires_at, 'policy_version', m.consent_version)`,
    })
    if (rows.length === 0) return false
    // A guest's session never outlives its zone, and no session is made longer than it was.
    await tx.query(sql`UPDATE session s SET expires_at = least(z.expires_at, s.created_at + interval '24 hours')
      FROM zone z WHERE z.zone_id = ${zone_id} AND s.zone_id = z.zone_id AND s.ended_at IS NULL`)
    return true
  })
  if (!moved) return refusedBecause(services.db, zone_id, 'extend')
  services.hints.hint('sessions')
  return found(services.db, zone_id)
}

/** Closes the zone for ever: its sessions end with it, open pages and streams with the hint that follows. */
export async function revokeZone(services: Needs, zoneId: string, caller: Caller): Promise<Result<ZoneView>> {
  const moved = await services.database.transaction(async (tx) => {
    const rows = await move(tx, {
      machine: 'zone',
      event: 'revoke',
      where: sql`o.zone_id = ${zoneId}`,
      set: sql`revoked_at = clock_timestamp()`,
      actor: caller,
    })
    if (rows.length > 0) await endSessionsOf(tx, { zoneId })
    return rows.length > 0
  })
  if (!moved) return refusedBecause(services.db, zoneId, 'revoke')
  services.hints.hint('sessions')
  return found(services.db, zoneId)
}

async function found(db: Db, zoneId: string): Promise<Result<ZoneView>> {
  const zone = await zoneById(db, zoneId)
  return zone ? ok(zone) : refuse({ code: 'NOT_FOUND', message: 'There is no such zone.' })
}

async function refusedBecause(db: Db, zoneId: string, event: 'extend' | 'revoke'): Promise<Result<never>> {
  const zone = await zoneById(db, zoneId)
  if (!zone) return refuse({ code: 'NOT_FOUND', message: 'There is no such zone.' })
  if (can(zoneMachine, zone.status as ZoneState, event)) {
    return refuse({ code: 'CONCURRENT_MODIFICATION', message: 'The zone was changed meanwhile.' })
  }
  return refuse({
    code: 'INVALID_TRANSITION',
    message: `A zone that is ${zone.status} cannot be changed any more.`,
    details: { from: zone.status, event },
  })
}
