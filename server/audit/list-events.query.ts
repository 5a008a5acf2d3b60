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
/** The order of a list between two times, along the index of the times: the order of ids would step over all newer events first. */
const newestEventsByTime = keyset('event', 'audit_time', { ts: 'time', id: 'number' }, 'desc')

type Parts = Pick<Services, 'db' | 'reads'>

/**
 * So many events a search by text looks into for one page. No index answers it: one over these columns takes a quarter to a half of what
 * the ledger can write, and every transition writes an event.
 */
const SEARCHED = 20_000

/**
 * A page of the audit, newest first, with the state of its chain. A search by text that reaches its bound says how far it came; the next
 * page goes on from there.
 */
export async function listEvents(
  services: Parts,
  input: AuditListInput,
  searched = SEARCHED,
): Promise<AuditPage> {
  const where = filter(input)
  const { cursor, limit } = input
  const order = input.from || input.to ? newestEventsByTime : newestEvents
  const end = input.q ? await searchEnd(services, { where, order, cursor, searched }) : null
  const found = await services.reads.event.findMany({
    ...order.slice(
      { AND: [where, ...(input.q ? [textIs(input.q)] : []), ...(end ? [upTo(order, end)] : [])] },
      { cursor, limit },
    ),
  })
  const page = order.page(
    found.map((row) => ({ ...positionOf(row), row })),
    limit,
  )
  const [items, chain] = await Promise.all([
    eventViews(
      services.reads,
      page.rows.map(({ row }) => row),
    ),
    chainState(services.db),
  ])
  const stopped = page.next_cursor === null ? end : null
  return {
    items,
    next_cursor: stopped ? order.cursorOf(positionOf(stopped)) : page.next_cursor,
    searched_to: stopped?.ts.toISOString() ?? null,
    chain,
  }
}

type Order = typeof newestEvents | typeof newestEventsByTime
type Position = { id: bigint; ts: Date }
const positionOf = ({ id, ts }: Position) => ({ id: Number(id), ts })

/** The events down to this one, itself included. */
const upTo = (order: Order, { id, ts }: Position): Prisma.EventWhereInput =>
  order === newestEvents
    ? { id: { gte: id } }
    : { ts: { gte: ts }, OR: [{ ts: { gt: ts } }, { id: { gte: id } }] }

type Bound = {
  where: Prisma.EventWhereInput
  order: Order
  cursor: string | undefined
  searched: number
}

/** The last event that a page of a search looks into; null when there are none behind it. */
async function searchEnd({ reads }: Parts, { where, order, cursor, searched }: Bound) {
  const { where: behind, orderBy } = order.slice(where, { cursor, limit: searched })
  const [last, next] = await reads.event.findMany({
    select: { id: true, ts: true },
    where: behind,
    orderBy,
    skip: searched - 1,
    take: 2,
  })
  return last && next ? last : null
}

const textIs = (q: string): Prisma.EventWhereInput => ({
  OR: TEXTS.map((column) => ({ [column]: { contains: like(q), mode: 'insensitive' } })),
})

/** All but the text. `event` is a whole name (`auth.login`) or a group of names (`auth`). */
function filter(input: AuditListInput): Prisma.EventWhereInput {
  const { actor, event, resource_type, resource_id, outcome, from, to } = input
  return {
    ...(actor && { actor }),
    ...(event && { name: event.includes('.') ? event : { startsWith: `${like(event)}.` } }),
    ...(resource_type && { resource_type }),
    ...(resource_id && { resource_id }),
    ...(outcome && { outcome }),
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
