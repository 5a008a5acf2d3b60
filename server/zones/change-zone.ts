import sql from 'sql-template-tag'
import type { ZoneView } from '#contracts/zone.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { can } from '#domain/kernel/machine.ts'
import { type Result, refuse } from '#domain/kernel/result.ts'
import { zoneMachine } from '#domain/zone/zone.machine.ts'
import { endSessionsOf } from '#server/auth/end-session.ts'
import type { Db } from '#server/ledger/database.ts'
import { transition } from '#server/ledger/transition.ts'
import type { Services } from '#server/services.ts'
import { getZone } from './get-zone.query.ts'
import { findZone } from './zone-view.ts'

type Parts = Pick<Services, 'db'>
type Change = {
  zone_id: string
  minutes?: number | undefined
  consent_policy?: string | undefined
  suggestions?: boolean | undefined
}

/**
 * Sets the end to this many minutes from now, a new consent text with the next version, which every guest must accept, or whether guests may send
 * suggestions.
 */
export async function changeZone(services: Parts, input: Change, caller: Caller): Promise<Result<ZoneView>> {
  const { zone_id, minutes, consent_policy, suggestions } = input
  const end =
    minutes === undefined
      ? sql`t.expires_at`
      : sql`clock_timestamp() + make_interval(mins => ${minutes}::int)`
  const terms =
    consent_policy === undefined
      ? sql``
      : sql`, consent_policy = ${consent_policy}, consent_version = t.consent_version + 1`
  const taken = suggestions === undefined ? sql`` : sql`, suggestions = ${suggestions}`
  const moved = await services.db.transaction(async (tx) => {
    const rows = await transition(tx, {
      machine: 'zone',
      event: 'extend',
      returning: ['zone_id'],
      where: sql`o.zone_id = ${zone_id} AND o.expires_at > clock_timestamp()`,
      set: sql`expires_at = ${end}${terms}${taken}`,
      actor: caller,
      details: sql`jsonb_build_object('expires_at', m.expires_at, 'policy_version', m.consent_version, 'suggestions', m.suggestions)`,
    })
    if (rows.length === 0) return false
    // A guest's session never outlives its zone, and no session is made longer than it was.
    await tx.query(sql`UPDATE session s SET expires_at = least(z.expires_at, s.created_at + interval '24 hours')
      FROM zone z WHERE z.zone_id = ${zone_id} AND s.zone_id = z.zone_id AND s.ended_at IS NULL`)
    return true
  })
  if (!moved) return refusedBecause(services.db, zone_id, 'extend')
  return getZone(services, { zone_id })
}

/** Closes the zone for good. Its sessions end with it; open pages and streams end on the notification that follows. */
export async function revokeZone(services: Parts, zoneId: string, caller: Caller): Promise<Result<ZoneView>> {
  const moved = await services.db.transaction(async (tx) => {
    const rows = await transition(tx, {
      machine: 'zone',
      event: 'revoke',
      returning: ['zone_id'],
      where: sql`o.zone_id = ${zoneId}`,
      set: sql`revoked_at = clock_timestamp()`,
      actor: caller,
    })
    if (rows.length > 0) await endSessionsOf(tx, { zoneId })
    return rows.length > 0
  })
  if (!moved) return refusedBecause(services.db, zoneId, 'revoke')
  return getZone(services, { zone_id: zoneId })
}

async function refusedBecause(db: Db, zoneId: string, event: 'extend' | 'revoke'): Promise<Result<never>> {
  const zone = await findZone(db, zoneId)
  if (!zone) return refuse({ code: 'NOT_FOUND', message: 'There is no such zone.' })
  if (can(zoneMachine, zone.status, event)) {
    return refuse({ code: 'CONCURRENT_MODIFICATION', message: 'The zone has just been changed. Reload it.' })
  }
  return refuse({
    code: 'INVALID_TRANSITION',
    message: `A zone in state ${zone.status} can no longer be changed.`,
    details: { from: zone.status, event },
  })
}
