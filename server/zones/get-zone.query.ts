import type { ZoneView } from '#contracts/zone.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/services.ts'
import { findZone } from './zone-view.ts'

/** One zone; neither code nor link is in it. */
export async function getZone(
  { db }: Pick<Services, 'db'>,
  { zone_id }: { zone_id: string },
): Promise<Result<ZoneView>> {
  const zone = await findZone(db, zone_id)
  return zone ? ok(zone) : refuse({ code: 'NOT_FOUND', message: 'There is no such zone.' })
}
