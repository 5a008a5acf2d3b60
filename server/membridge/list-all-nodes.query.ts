/**
 * The nodes of the whole fleet, one row each, by id. A node is known by its heartbeats, by a valid key that was made for it, or by its
 * registration; so one that was added shows before it is heard. Each of the three is read along an index in the order of the list, and
 * a page that is not filtered stops after its rows.
 */
import sql, { type Sql } from 'sql-template-tag'
import type { FleetNode, NodeList, NodeSummary } from '#contracts/node.contract.ts'
import { ONLINE_SECONDS } from '#domain/membridge/liveness.rules.ts'
import { isValidKey } from '#server/keys/key-view.ts'
import { keyset, like, whereAll } from '#server/ledger/list.ts'
import type { Services } from '#server/services.ts'
import { fleetNodes } from './fleet-nodes.ts'

type Parts = Pick<Services, 'db'>

const byId = keyset('membridge_node', 'nodes', { node_id: 'text' }, 'asc')

const HEARD = sql`SELECT n.node_id FROM membridge_node n`
const HAS_KEY = sql`SELECT k.node_id FROM machine_key k WHERE k.kind = 'node' AND ${isValidKey}`
const REGISTERED = sql`SELECT a.name AS node_id FROM membridge_agent a`

const isOnlineNow = sql`n.last_seen > clock_timestamp() - make_interval(secs => ${ONLINE_SECONDS})`
const heardNow = sql`EXISTS (SELECT FROM membridge_node n WHERE n.node_id = f.node_id AND ${isOnlineNow})`
const heardEver = sql`EXISTS (SELECT FROM membridge_node n WHERE n.node_id = f.node_id)`

const IN_STATE = {
  online: heardNow,
  offline: sql`${heardEver} AND NOT ${heardNow}`,
  waiting: sql`NOT ${heardEver}`,
} as const satisfies Record<NonNullable<NodeList['state']>, Sql>

/** Nodes by id; by state, by project, by a part of the id or of a project's name. */
export async function listAllNodes(
  { db }: Parts,
  { state, project, q, cursor, limit }: NodeList,
): Promise<{ items: FleetNode[]; next_cursor: string | null }> {
  const { rows } = await db.query<{ node_id: string }>(sql`SELECT f.node_id
    FROM (${HEARD} UNION ${HAS_KEY} UNION ${REGISTERED}) f
    ${whereAll(
      state && IN_STATE[state],
      project !== undefined && sql`f.node_id IN (${HEARD} WHERE n.canonical_id = ${project})`,
      q ? matches(`%${like(q)}%`) : null,
      byId.after('f', cursor),
    )}
    ORDER BY ${byId.order('f')} LIMIT ${limit + 1}`)
  const page = byId.page(rows, limit)
  return {
    items: await fleetNodes(
      db,
      page.rows.map((row) => row.node_id),
    ),
    next_cursor: page.next_cursor,
  }
}

const matches = (pattern: string): Sql => sql`(f.node_id ILIKE ${pattern} OR f.node_id IN (
  SELECT n.node_id FROM membridge_node n LEFT JOIN membridge_project p ON p.canonical_id = n.canonical_id
  WHERE coalesce(p.name, n.project_id) ILIKE ${pattern}))`

/** Projects that a filter offers at most. */
const MAX_PROJECTS = 200

type Counts = Omit<NodeSummary, 'projects'>

/** How many nodes are in which state at this moment, and the projects they have announced. */
export async function summarizeNodes({ db }: Parts): Promise<NodeSummary> {
  const [counts, projects] = await Promise.all([
    db.query<Counts>(sql`WITH heard AS (
        SELECT n.node_id, bool_or(${isOnlineNow}) AS online, bool_or(n.admin_key AND ${isOnlineNow}) AS admin_key
        FROM membridge_node n GROUP BY n.node_id
      ), silent AS (
        (${HAS_KEY} UNION ${REGISTERED}) EXCEPT SELECT h.node_id FROM heard h
      )
      SELECT count(*) FILTER (WHERE h.online)::int AS online, count(*) FILTER (WHERE NOT h.online)::int AS offline,
        count(*) FILTER (WHERE h.admin_key)::int AS admin_key, (SELECT count(*)::int FROM silent) AS waiting FROM heard h`),
    db.query<NodeSummary['projects'][number]>(sql`SELECT p.canonical_id, p.name FROM membridge_project p
      WHERE EXISTS (SELECT FROM membridge_node n WHERE n.canonical_id = p.canonical_id)
      ORDER BY p.name, p.canonical_id LIMIT ${MAX_PROJECTS}`),
  ])
  return { ...(counts.rows[0] as Counts), projects: projects.rows }
}
