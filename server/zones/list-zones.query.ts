/** SQL, not Prisma: the view is shared with the writes, which answer inside their own transaction. */
import sql, { type Sql } from 'sql-template-tag'
import type { ZoneList, ZoneView } from '#contracts/zone.contract.ts'
import { zoneMachine } from '#domain/zone/zone.machine.ts'
import { keyset, whereAll } from '#server/ledger/list.ts'
import { state } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { isOpenZone, ZONE_VIEW_COLUMNS, type ZoneViewRow, zoneState, zoneView } from './zone-view.ts'

const { create, expire } = zoneMachine.events
const newestZones = keyset('zone', 'zones', { created_at: 'time', zone_id: 'text' }, 'desc')

/** Zones, newest first. */
export async function listZones(
  { db }: Pick<Services, 'db'>,
  { status, cursor, limit }: ZoneList,
): Promise<{ items: ZoneView[]; next_cursor: string | null }> {
  const { rows } = await db.query<ZoneViewRow>(sql`SELECT ${ZONE_VIEW_COLUMNS} FROM zone z
    ${whereAll(status && inState(status), newestZones.after('z', cursor))}
    ORDER BY ${newestZones.order('z')} LIMIT ${limit + 1}`)
  const page = newestZones.page(rows, limit)
  return { items: page.rows.map(zoneView), next_cursor: page.next_cursor }
}

function inState(status: NonNullable<ZoneList['status']>): Sql {
  if (status === create.to) return isOpenZone
  return status === expire.to
    ? sql`${zoneState} = ${state(zoneMachine, 'expired')}`
    : sql`z.status = ${state(zoneMachine, status)}`
}
