import sql from 'sql-template-tag'
import type { AuditEventView, AuditListInput, AuditPage } from '#contracts/audit.contract.ts'
import type { Prisma } from '#prisma/generated/client.ts'
import type { Db } from '#server/ledger/database.ts'
import { keyset, like } from '#server/ledger/list.ts'
import type { Services } from '#server/services.ts'
import { eventViews } from './event-view.ts'

const HISTORY_LIMIT = 1_000
/** The columns that a text is looked for in. */
const TEXTS = ['name', 'actor', 'resource_id', 'reason', 'error_code', 'correlation_id'] as const
export const newestEvents = keyset('event', 'audit', { id: 'number' }, 'desc')

/** A page of the audit, newest first, with the state of its chain. */
export async function listEvents(
  services: Pick<Services, 'db' | 'reads'>,
  input: AuditListInput,
): Promise<AuditPage> {
  const found = await services.reads.event.findMany({
    ...newestEvents.slice(filter(input), input),
  })
  const page = newestEvents.page(
    found.map((row) => ({ id: Number(row.id), row })),
    input.limit,
  )
  const [items, chain] = await Promise.all([
    eventViews(
      services.reads,
      page.rows.map(({ row }) => row),
    ),
    chainState(services.db),
  ])
  return { items, next_cursor: page.next_cursor, chain }
}

/** `event` is a whole name (`auth.login`) or a group of names (`auth`). */
function filter(input: AuditListInput): Prisma.EventWhereInput {
  const { actor, event, resource_type, resource_id, outcome, from, to, q } = input
  const text = q && ({ contains: like(q), mode: 'insensitive' } as const)
  return {
    ...(actor && { actor }),
    ...(event && { name: event.includes('.') ? event : { startsWith: `${like(event)}.` } }),
    ...(resource_type && { resource_type }),
    ...(resource_id && { resource_id }),
    ...(outcome && { outcome }),
    ...(text && { OR: TEXTS.map((column) => ({ [column]: text })) }),
    ...((from || to) && { ts: { ...(from && { gte: from }), ...(to && { lt: to }) } }),
  }
}

/** How far the chain is sealed, and how many events wait behind its mark. SQL: a count of what has no seal. */
async function chainState(db: Db): Promise<AuditPage['chain']> {
  const { rows } = await db.query<
    AuditPage['chain']
  >(sql`SELECT h.seq AS sealed, encode(h.hash, 'hex') AS head,
    (SELECT count(*) FROM event e WHERE e.id > h.low AND NOT EXISTS (SELECT 1 FROM event_seal s WHERE s.event = e.id)) AS waiting FROM event_head h`)
  return rows[0] ?? { sealed: 0, waiting: 0, head: '' }
}

/** Everything that happened to one object, oldest first, at most 1 000 events. */
export async function listHistory(
  services: Pick<Services, 'reads'>,
  object: { resource_type: string; resource_id: string },
): Promise<{ items: AuditEventView[] }> {
  const rows = await services.reads.event.findMany({
    where: object,
    orderBy: { id: 'asc' },
    take: HISTORY_LIMIT,
  })
  return { items: await eventViews(services.reads, rows) }
}
