/**
 * The nodes of the whole fleet, one row each, by id. A node is known by its heartbeats, by a valid key that was made for it, or by its
 * registration; so one that was added shows before it is heard. Each of the three is a branch that is read in the order of the list from the
 * cursor on and ends with the page, so no page is made of more rows than it needs.
 */
import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { FleetNode, NodeList, NodeSummary } from '#contracts/node.contract.ts'
import { isValidKeyAt } from '#server/keys/key-view.ts'
import { keyset, like, whereAll } from '#server/ledger/list.ts'
import type { Services } from '#server/services.ts'
import { fleetNodes } from './fleet-nodes.ts'
import { onlineSince } from './online-since.ts'

type Parts = Pick<Services, 'db'>
type Filter = Omit<NodeList, 'cursor' | 'limit'>
type Page = Pick<NodeList, 'cursor' | 'limit'>
/** Where ids are read from; `within`: once for each row of this table. */
type Source = { alias: string; from: Sql; where?: Sql; within?: Sql }

const byId = keyset('membridge_node', 'nodes', { node_id: 'text' }, 'asc')

const SEEN: Source = { alias: 's', from: sql`membridge_seen s` }
const KEYS: Source = {
  ...{ alias: 'k', from: sql`machine_key k` },
  where: sql`k.kind = 'node' AND ${isValidKeyAt(sql`statement_timestamp()`)}`,
}
/** In order along an index, so a page of many ends early. */
const OFFLINE: Source = {
  alias: 'n',
  from: sql`(SELECT m.node_id FROM membridge_node m GROUP BY m.node_id HAVING max(m.last_seen) <= ${onlineSince}) n`,
}
const OF_PROJECT: Source = {
  alias: 'n',
  from: sql`membridge_node n`,
  where: sql`n.canonical_id = p.canonical_id`,
}
const AGENTS: Source = { alias: 'a', from: sql`(SELECT r.name AS node_id FROM membridge_agent r) a` }

/** Nodes by id; by state, by project, by a part of the id or of a project's name. */
export async function listAllNodes(
  { db }: Parts,
  { cursor, limit, ...filter }: NodeList,
): Promise<{ items: FleetNode[]; next_cursor: string | null }> {
  const branches = branchesOf(filter).map((source) => readPage(source, { cursor, limit }))
  const { rows } = await db.query<{ node_id: string }>(
    sql`SELECT f.node_id FROM (${join(branches, ' UNION ')}) f ORDER BY ${byId.order('f')} LIMIT ${limit + 1}`,
  )
  const page = byId.page(rows, limit)
  const ids = page.rows.map((row) => row.node_id)
  return { items: await fleetNodes(db, ids), next_cursor: page.next_cursor }
}

/** What the filter lets through; what was never heard has no project. */
function branchesOf({ state, project, q = '' }: Filter): Source[] {
  const silent = [KEYS, AGENTS].map((source) => only(source, q !== '' && isLike(source, q)))
  if (state === 'waiting') return silent.map((source) => only(source, isNeverSeen(source)))
  if (state === 'offline' && project === undefined && q === '') return [OFFLINE]
  const seen = seenIn(project, q)
  if (state === undefined) return project === undefined ? [...seen, ...silent] : seen
  return seen.map((source) =>
    only(source, state === 'online' ? isOnline(source) : sql`NOT ${isOnline(source)}`),
  )
}

/** Nodes that have been heard; a text is found in their id or in the name of one of their projects. */
function seenIn(project: string | undefined, q: string): Source[] {
  const named = sql`SELECT p.canonical_id FROM membridge_project p WHERE p.name ILIKE ${`%${like(q)}%`}`
  if (project === undefined)
    return q === '' ? [SEEN] : [only(SEEN, isLike(SEEN, q)), { ...OF_PROJECT, within: sql`(${named}) p` }]
  const source = { alias: 'n', from: sql`membridge_node n`, where: sql`n.canonical_id = ${project}` }
  if (q === '') return [source]
  const inNamed = sql`EXISTS (SELECT FROM membridge_node o WHERE o.node_id = n.node_id AND o.canonical_id = ANY (ARRAY(${named})))`
  return [only(source, isLike(source, q)), only(source, inNamed)]
}

/** The ids of a branch that a page may show, in order and once each. */
function readPage({ alias, from, where, within }: Source, { cursor, limit }: Page): Sql {
  const ids = (of: string, source: Sql) =>
    sql`(SELECT DISTINCT ${idOf(of)} FROM ${source} ORDER BY ${byId.order(of)} LIMIT ${limit + 1})`
  const read = ids(alias, sql`${from} ${whereAll(byId.after(alias, cursor), where)}`)
  return within ? ids('e', sql`${within} CROSS JOIN LATERAL ${read} e`) : read
}

const idOf = (alias: string): Sql => raw(`${alias}.node_id`)
const only = (source: Source, ...conditions: (Sql | false)[]): Source => {
  const all = [source.where, ...conditions].filter((condition): condition is Sql => Boolean(condition))
  return all.length > 0 ? { ...source, where: join(all, ' AND ') } : source
}

const isNeverSeen = ({ alias }: Source): Sql =>
  sql`NOT EXISTS (SELECT FROM membridge_seen w WHERE w.node_id = ${idOf(alias)})`
/** The state of a node is that of the machine, whichever project was heard of last. */
const isOnline = ({ alias }: Source): Sql =>
  sql`EXISTS (SELECT FROM membridge_node m WHERE m.node_id = ${idOf(alias)} AND m.last_seen > ${onlineSince})`
/** Ids are compared byte by byte but for the case of Latin letters: many times faster over a whole fleet, and along an index. */
const isLike = ({ alias }: Source, q: string): Sql => sql`${idOf(alias)} COLLATE "C" ILIKE ${`%${like(q)}%`}`

/** Projects that a filter offers at most. */
const MAX_PROJECTS = 200

type Counts = Omit<NodeSummary, 'projects'>

/** How many nodes are in which state at this moment, and the projects they have announced. */
export async function summarizeNodes({ db }: Parts): Promise<NodeSummary> {
  const [counts, projects] = await Promise.all([
    db.query<Counts>(sql`WITH online AS (
        SELECT n.node_id, bool_or(n.admin_key) AS admin_key FROM membridge_node n WHERE n.last_seen > ${onlineSince} GROUP BY n.node_id
      ), counted AS (SELECT count(*)::int AS online, count(*) FILTER (WHERE o.admin_key)::int AS admin_key FROM online o)
      SELECT c.online, (SELECT count(*)::int FROM membridge_seen) - c.online AS offline, c.admin_key,
        (SELECT count(*)::int FROM (${join([KEYS, AGENTS].map(waitingIn), ' UNION ')}) w) AS waiting FROM counted c`),
    db.query<NodeSummary['projects'][number]>(sql`SELECT p.canonical_id, p.name FROM membridge_project p
      WHERE EXISTS (SELECT FROM membridge_node n WHERE n.canonical_id = p.canonical_id)
      ORDER BY p.name, p.canonical_id LIMIT ${MAX_PROJECTS}`),
  ])
  return { ...(counts.rows[0] as Counts), projects: projects.rows }
}

const waitingIn = (source: Source): Sql =>
  sql`SELECT ${idOf(source.alias)} FROM ${source.from} ${whereAll(source.where, isNeverSeen(source))}`
