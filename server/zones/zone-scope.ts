import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { zoneEnd } from '#domain/zone/zone-end.rules.ts'
import type { ZoneScope } from '#domain/zone/zone-scope.rules.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { zoneState } from './zone-view.ts'

/**
 * What this caller may see of the garden: the scope of a guest's zone, null for those who see all of it. A zone that has ended throws
 * ZONE_REVOKED or ZONE_EXPIRED.
 */
export async function zoneScopeOf(services: Pick<Services, 'db'>, caller: Caller): Promise<ZoneScope | null> {
  if (caller.role === 'owner' || caller.role === 'operator') return null
  if (caller.role !== 'guest' || !caller.zoneId)
    throw new Refused('FORBIDDEN', 'Your role does not allow this.')
  const { rows } = await services.db.query<Row<'zone', 'folders' | 'tags' | 'status'>>(
    sql`SELECT z.folders, z.tags, ${zoneState} AS status FROM zone z WHERE z.zone_id = ${caller.zoneId}`,
  )
  const zone = rows[0]
  const end = zoneEnd(zone?.status)
  if (end) throw new Refused(end.code, end.message)
  return { folders: zone?.folders ?? [], tags: zone?.tags ?? [] }
}

/** Those who read the whole garden; for a guest such reads are 404 ([zones#what-a-guest-sees]). */
export function requireFullAccess(caller: Caller): Caller {
  if (caller.role === 'owner' || caller.role === 'operator') return caller
  throw new Refused('NOT_FOUND', 'There is nothing here.')
}

/** The scope of a guest's zone. The owner and operators have none: 404. */
export async function requireZoneScope(services: Pick<Services, 'db'>, caller: Caller): Promise<ZoneScope> {
  const scope = await zoneScopeOf(services, caller)
  if (!scope) throw new Refused('NOT_FOUND', 'There is nothing here.')
  return scope
}
