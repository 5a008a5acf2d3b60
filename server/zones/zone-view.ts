/** SQL, not Prisma: writes answer with the zone inside their own transaction. */
import sql, { type Sql } from 'sql-template-tag'
import type { ZoneView } from '#contracts/zone.contract.ts'
import { zoneMachine } from '#domain/zone/zone.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'

const NAMES = [
  'zone_id',
  'name',
  'description',
  'folders',
  'tags',
  'consent_policy',
  'consent_version',
  'created_by',
  'created_at',
  'expires_at',
  'revoked_at',
  'entries',
  'failed_attempts',
  'suggestions',
] as const

const OPEN = state(zoneMachine, 'open')

/** True of zone `z` until its time is over, whether or not the sweep has come by. */
export const isOpenZone: Sql = sql`z.status = ${OPEN} AND z.expires_at > clock_timestamp()`

/** The state of zone `z` by the clock. */
export const zoneState: Sql = sql`CASE WHEN z.status = ${OPEN} AND z.expires_at <= clock_timestamp()
  THEN ${state(zoneMachine, 'expired')} ELSE z.status END`

export type ZoneViewRow = Row<'zone', (typeof NAMES)[number] | 'status' | 'locked_until'> & { guests: number }
export const ZONE_VIEW_COLUMNS: Sql = sql`${columns('zone', 'z', NAMES)}, ${zoneState} AS status,
  CASE WHEN z.locked_until > clock_timestamp() THEN z.locked_until END AS locked_until,
  (SELECT count(*) FROM session s WHERE s.zone_id = z.zone_id AND s.ended_at IS NULL AND s.expires_at > clock_timestamp())::int AS guests`

export const zoneView = ({ consent_version, ...z }: ZoneViewRow): ZoneView => ({
  ...z,
  policy_version: consent_version,
  created_at: z.created_at.toISOString(),
  expires_at: z.expires_at.toISOString(),
  revoked_at: z.revoked_at?.toISOString() ?? null,
  locked_until: z.locked_until?.toISOString() ?? null,
})

/** The zone as the owner sees it now; null when there is none. */
export async function findZone(db: Db, zoneId: string): Promise<ZoneView | null> {
  const { rows } = await db.query<ZoneViewRow>(
    sql`SELECT ${ZONE_VIEW_COLUMNS} FROM zone z WHERE z.zone_id = ${zoneId}`,
  )
  return rows[0] ? zoneView(rows[0]) : null
}
