import sql, { type Sql } from 'sql-template-tag'
import type { ZoneView } from '#contracts/zone.contract.ts'
import { zoneMachine } from '#domain/zone/zone.machine.ts'
import type { Prisma } from '#prisma/generated/client.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import { type Row, rowOf, selected } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'

const NAMES = [
  'zone_id',
  'status',
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
  'locked_until',
] as const

const OPEN = zoneMachine.events.create.to
const EXPIRED = zoneMachine.events.expire.to

/** The state of zone `z` by the clock, whether or not the sweep has come by. */
export const zoneState: Sql = sql`CASE WHEN z.status = ${state(zoneMachine, OPEN)} AND z.expires_at <= clock_timestamp()
  THEN ${state(zoneMachine, EXPIRED)} ELSE z.status END`

/** The zones in this state at this moment of the database clock; the same as `zoneState`. */
export function zonesIn(status: Row<'zone', 'status'>['status'], now: Date): Prisma.ZoneWhereInput {
  if (status === OPEN) return { status, expires_at: { gt: now } }
  return status === EXPIRED ? { OR: [{ status }, { status: OPEN, expires_at: { lte: now } }] } : { status }
}

/** What `zoneView` reads of a zone, its guests of this moment counted. */
export const zoneSelect = (now: Date) =>
  ({
    ...selected(NAMES),
    _count: { select: { sessions: { where: { ended_at: null, expires_at: { gt: now } } } } },
  }) satisfies Prisma.ZoneSelect

type FoundZone = Prisma.ZoneGetPayload<{ select: ReturnType<typeof zoneSelect> }>

export function zoneView({ _count, ...found }: FoundZone, now: Date): ZoneView {
  const { consent_version, ...zone } = rowOf('zone', found)
  const over = zone.status === OPEN && zone.expires_at <= now
  return {
    ...zone,
    status: over ? EXPIRED : zone.status,
    policy_version: consent_version,
    guests: _count.sessions,
    created_at: zone.created_at.toISOString(),
    expires_at: zone.expires_at.toISOString(),
    revoked_at: zone.revoked_at?.toISOString() ?? null,
    locked_until: zone.locked_until && zone.locked_until > now ? zone.locked_until.toISOString() : null,
  }
}

/** The zone as the owner sees it now; null when there is none. */
export async function findZone(
  { db, reads }: Pick<Services, 'db' | 'reads'>,
  zone_id: string,
): Promise<ZoneView | null> {
  const now = await ledgerNow(db)
  const zone = await reads.zone.findUnique({ where: { zone_id }, select: zoneSelect(now) })
  return zone && zoneView(zone, now)
}
