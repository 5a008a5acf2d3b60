import type { ZoneList, ZoneView } from '#contracts/zone.contract.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import { keyset } from '#server/ledger/list.ts'
import type { Services } from '#server/services.ts'
import { zoneSelect, zonesIn, zoneView } from './zone-view.ts'

const newestZones = keyset('zone', 'zones', { created_at: 'time', zone_id: 'text' }, 'desc')

/** Zones, newest first. */
export async function listZones(
  { db, reads }: Pick<Services, 'db' | 'reads'>,
  { status, cursor, limit }: ZoneList,
): Promise<{ items: ZoneView[]; next_cursor: string | null }> {
  const now = await ledgerNow(db)
  const rows = await reads.zone.findMany({
    select: zoneSelect(now),
    where: { AND: [status ? zonesIn(status, now) : {}, newestZones.where(cursor)] },
    orderBy: newestZones.orderBy,
    take: limit + 1,
  })
  const page = newestZones.page(rows, limit)
  return { items: page.rows.map((row) => zoneView(row, now)), next_cursor: page.next_cursor }
}
