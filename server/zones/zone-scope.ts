import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { Refused } from '#domain/kernel/errors.ts'
import type { ZoneScope } from '#domain/zone/zone-scope.rules.ts'
import type { Services } from '#server/composition/services.ts'

/**
 * What this caller may see of the garden: the scope of a guest's zone, null for those who see all of it. A zone that has ended
 * meanwhile throws ZONE_REVOKED or ZONE_EXPIRED.
 */
export async function zoneScopeOf(services: Pick<Services, 'db'>, caller: Caller): Promise<ZoneScope | null> {
  if (caller.role === 'owner' || caller.role === 'operator') return null
  if (caller.role !== 'guest' || !caller.zoneId) throw new Refused('FORBIDDEN', 'Not enough rights for this.')
  const { rows } = await services.db.query<{
    folders: string[]
    tags: string[]
    status: string
    over: boolean
  }>(
    sql`SELECT folders, tags, status, expires_at <= clock_timestamp() AS over FROM zone WHERE zone_id = ${caller.zoneId}`,
  )
  const zone = rows[0]
  if (!zone || zone.status === 'revoked') throw new Refused('ZONE_REVOKED', 'The owner has closed this zone.')
  if (zone.status !== 'open' || zone.over) throw new Refused('ZONE_EXPIRED', 'The time of this zone is over.')
  return { folders: zone.folders, tags: zone.tags }
}
