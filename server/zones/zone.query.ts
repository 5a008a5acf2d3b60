import sql, { join, type Sql } from 'sql-template-tag'
import type { ZoneList, ZoneView } from '#contracts/zone.contract.ts'
import type { Services } from '#server/composition/services.ts'
import type { Db } from '#server/ledger/database.ts'

type ZoneRow = {
  zone_id: string
  status: string
  name: string
  description: string
  folders: string[]
  tags: string[]
  consent_policy: string
  consent_version: number
  created_by: string
  created_at: Date
  expires_at: Date
  revoked_at: Date | null
  rests_until: Date | null
  entries: number
  wrong_tries: number
  guests: number
}

const COLUMNS = sql`z.zone_id, CASE WHEN z.status = 'open' AND z.expires_at <= clock_timestamp() THEN 'expired' ELSE z.status END AS status,
  z.name, z.description, z.folders, z.tags, z.consent_policy, z.consent_version, z.created_by, z.created_at, z.expires_at, z.revoked_at,
  CASE WHEN z.rests_until > clock_timestamp() THEN z.rests_until END AS rests_until, z.entries, z.wrong_tries,
  (SELECT count(*) FROM session s WHERE s.zone_id = z.zone_id AND s.ended_at IS NULL AND s.expires_at > clock_timestamp())::int AS guests`

const viewOf = ({ consent_version, ...z }: ZoneRow): ZoneView => ({
  ...z,
  policy_version: consent_version,
  created_at: z.created_at.toISOString(),
  expires_at: z.expires_at.toISOString(),
  revoked_at: z.revoked_at?.toISOString() ?? null,
  rests_until: z.rests_until?.toISOString() ?? null,
})

export async function zoneById(db: Db, zoneId: string): Promise<ZoneView | null> {
  const { rows } = await db.query<ZoneRow>(sql`SELECT ${COLUMNS} FROM zone z WHERE z.zone_id = ${zoneId}`)
  return rows[0] ? viewOf(rows[0]) : null
}

/** Zones, newest first. A cursor that is not ours begins at the newest. */
export async function listZones(
  services: Pick<Services, 'db'>,
  input: ZoneList,
): Promise<{ items: ZoneView[]; next_cursor: string | null }> {
  const where: Sql[] = [sql`true`]
  if (input.status === 'open') where.push(sql`z.status = 'open' AND z.expires_at > clock_timestamp()`)
  else if (input.status === 'expired') {
    where.push(sql`(z.status = 'expired' OR (z.status = 'open' AND z.expires_at <= clock_timestamp()))`)
  } else if (input.status) where.push(sql`z.status = ${input.status}`)
  const after = /^(\d{1,15})_([0-9a-f]{8})$/.exec(input.cursor ?? '')
  if (after)
    where.push(sql`(z.created_at, z.zone_id) < (to_timestamp(${Number(after[1]) / 1000}), ${after[2]})`)
  const { rows } =
    await services.db.query<ZoneRow>(sql`SELECT ${COLUMNS} FROM zone z WHERE ${join(where, ' AND ')}
    ORDER BY z.created_at DESC, z.zone_id DESC LIMIT ${input.limit + 1}`)
  const page = rows.slice(0, input.limit)
  const last = page.at(-1)
  const more = rows.length > input.limit && last
  return {
    items: page.map(viewOf),
    next_cursor: more ? `${last.created_at.getTime()}_${last.zone_id}` : null,
  }
}
