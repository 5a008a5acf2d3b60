/**
 * The nodes of the whole fleet, one row each, by id. A node is known by its heartbeats, by a valid key that was made for it, or by its
 * registration; so one that was added shows before it is heard. Each of the three is read along an index in the order of the list, and
 * a page that is not filtered stops after its rows.
 */
import sql, { empty, type Sql } from 'sql-template-tag'
import type { FleetNode, NodeList, NodeSummary } from '#contracts/node.contract.ts'
import { ONLINE_SECONDS } from '#domain/membridge/liveness.rules.ts'
import { isValidKey } from '#server/keys/key-view.ts'
import { keyset, like, whereAll } from '#server/ledger/list.ts'
import type { Services } from '#server/services.ts'
import { fleetNodes } from './fleet-nodes.ts'

type Parts = Pick<Services, 'db'>

const byId = keyset('membridge_node', 'nodes', { node_id: 'text' }, 'asc')

const isOnlineNow = sql`n.last_seen > clock_timestamp() - make_interval(secs => ${ONLINE_SECONDS})`
const neverSeen = (id: Sql): Sql => sql`NOT EXISTS (SELECT FROM membridge_node h WHERE h.node_id = ${id})`
const isNodeKey = sql`k.kind = 'node' AND ${isValidKey}`

const ADDED = sql`SELECT k.node_id FROM machine_key k WHERE ${isNodeKey} UNION SELECT a.name FROM membridge_agent a`

type Filter = Omit<NodeList, 'cursor' | 'limit'>

/** Nodes by id; by state, by project, by a part of the id or of a project's name. */
export async function listAllNodes(
  { db }: Parts,
  { cursor, limit, ...filter }: NodeList,
): Promise<{ items: FleetNode[]; next_cursor: string | null }> {
  const { rows } = await db.query<{ node_id: string }>(sql`SELECT f.node_id FROM (${known(filter)}) f
    ${whereAll(byId.after('f', cursor))} ORDER BY ${byId.order('f')} LIMIT ${limit + 1}`)
  const page = byId.page(rows, limit)
  const ids = page.rows.map((row) => row.node_id)
  return { items: await fleetNodes(db, ids), next_cursor: page.next_cursor }
}

/**
 * The ids that the filter lets through; what was never seen has no project. The plain union stays flat: it is then read along three
 * indexes and ends with the page.
 */
function known({ state, project, q = '' }: Filter): Sql {
  const ofText = (id: Sql) => q !== '' && isLike(id, q)
  const ofProject = project !== undefined && inProjects(sql`= ${project}`)
  const reported = sql`SELECT n.node_id FROM membridge_node n
    ${whereAll(ofProject, q !== '' && sql`(${isLike(sql`n.node_id`, q)} OR ${inProjects(named(q))})`)}`
  if (state === 'online' || state === 'offline')
    return sql`${reported} GROUP BY n.node_id HAVING ${state === 'offline' ? sql`NOT` : empty} bool_or(${isOnlineNow})`
  const silent = (from: Sql, id: Sql, more: Sql | null = null) =>
    sql`SELECT ${id} AS node_id FROM ${from} ${whereAll(more, ofText(id), state === 'waiting' && neverSeen(id))}`
  const added = sql`${silent(sql`machine_key k`, sql`k.node_id`, isNodeKey)} UNION ${silent(sql`membridge_agent a`, sql`a.name`)}`
  if (state === 'waiting') return added
  return ofProject ? sql`${reported} GROUP BY n.node_id` : sql`${reported} UNION ${added}`
}

/** True of all rows of a node that has one in these projects: its state is that of the machine. */
const inProjects = (projects: Sql): Sql =>
  sql`n.node_id IN (SELECT o.node_id FROM membridge_node o WHERE o.canonical_id ${projects})`
const named = (q: string): Sql =>
  sql`IN (SELECT p.canonical_id FROM membridge_project p WHERE p.name ILIKE ${`%${like(q)}%`})`
/** Ids are compared byte by byte but for the case of Latin letters: many times faster over a whole fleet. */
const isLike = (id: Sql, q: string): Sql => sql`${id} COLLATE "C" ILIKE ${`%${like(q)}%`}`

/** Projects that a filter offers at most. */
const MAX_PROJECTS = 200

type Counts = Omit<NodeSummary, 'projects'>

/** How many nodes are in which state at this moment, and the projects they have announced. */
export async function summarizeNodes({ db }: Parts): Promise<NodeSummary> {
  const [counts, projects] = await Promise.all([
    db.query<Counts>(sql`WITH reported AS (
        SELECT n.node_id, bool_or(${isOnlineNow}) AS online, bool_or(n.admin_key AND ${isOnlineNow}) AS admin_key
        FROM membridge_node n GROUP BY n.node_id
      )
      SELECT count(*) FILTER (WHERE h.online)::int AS online, count(*) FILTER (WHERE NOT h.online)::int AS offline,
        count(*) FILTER (WHERE h.admin_key)::int AS admin_key, (SELECT count(*)::int FROM (${ADDED}) s
          WHERE NOT EXISTS (SELECT FROM reported h WHERE h.node_id = s.node_id)) AS waiting FROM reported h`),
    db.query<NodeSummary['projects'][number]>(sql`SELECT p.canonical_id, p.name FROM membridge_project p
      WHERE EXISTS (SELECT FROM membridge_node n WHERE n.canonical_id = p.canonical_id)
      ORDER BY p.name, p.canonical_id LIMIT ${MAX_PROJECTS}`),
  ])
  return { ...(counts.rows[0] as Counts), projects: projects.rows }
}
