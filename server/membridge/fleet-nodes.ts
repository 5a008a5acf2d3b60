/**
 * What is known of nodes by their ids, folded into one view each: three look-ups for a page of any size, whatever the number of projects.
 * SQL, not Prisma Client: the page's ids come from three tables in one order, and a key is valid by the database clock.
 */
import sql from 'sql-template-tag'
import type { FleetNode, NodeKey, NodeProject } from '#contracts/node.contract.ts'
import { roleOfNode } from '#domain/leadership/mirror.rules.ts'
import { canonicalIdOf } from '#domain/membridge/identity.rules.ts'
import { isOnline, nodeState } from '#domain/membridge/liveness.rules.ts'
import { isValidKey } from '#server/keys/key-view.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import { type RememberedRow, remembered, rememberedColumns } from './lease-mirror.ts'

const NODE = [
  ...(['node_id', 'canonical_id', 'project_id', 'obs_count', 'db_sha', 'agent_version'] as const),
  ...(['ip_addrs', 'admin_key', 'leadership_enabled', 'last_seen', 'registered_at'] as const),
] as const
const KEY = ['node_id', 'key_id', 'name', 'created_at', 'expires_at', 'last_used_at'] as const
const AGENT = ['name', 'url', 'agent_version', 'registered_at', 'last_seen'] as const

type NodeRow = Row<'membridge_node', (typeof NODE)[number]> &
  RememberedRow & { name: string | null; pushed_at: number | null }
type KeyRow = Row<'machine_key', (typeof KEY)[number]>
type AgentRow = Row<'membridge_agent', (typeof AGENT)[number]>

/** The nodes of these ids in the same order; an id of which nothing is known any more is left out. */
export async function fleetNodes(db: Db, ids: readonly string[]): Promise<FleetNode[]> {
  if (ids.length === 0) return []
  const [now, projects, keys, agents] = await Promise.all([
    ledgerNow(db),
    projectsOf(db, ids),
    keysOf(db, ids),
    agentsOf(db, ids),
  ])
  return ids.flatMap((id) => {
    const known = { projects: projects.get(id) ?? [], keys: keys.get(id) ?? [], agent: agents.get(id)?.[0] }
    return known.projects.length + known.keys.length > 0 || known.agent ? [foldNode(id, known, now)] : []
  })
}

/** Newest heartbeat first: it speaks for the machine. */
async function projectsOf(db: Db, ids: readonly string[]): Promise<Map<string, NodeRow[]>> {
  const { rows } =
    await db.query<NodeRow>(sql`SELECT ${columns('membridge_node', 'n', NODE)}, coalesce(p.name, n.project_id) AS name,
      CASE WHEN l.pointer_node_id = n.node_id THEN l.pointer_pushed_at END AS pushed_at, ${rememberedColumns}
    FROM membridge_node n LEFT JOIN membridge_project p ON p.canonical_id = n.canonical_id
      LEFT JOIN membridge_lease l ON l.canonical_id = n.canonical_id
    WHERE n.node_id = ANY(${ids}) ORDER BY n.last_seen DESC, n.canonical_id`)
  return Map.groupBy(rows, (row) => row.node_id)
}

async function keysOf(db: Db, ids: readonly string[]): Promise<Map<string, KeyRow[]>> {
  const { rows } = await db.query<KeyRow>(sql`SELECT ${columns('machine_key', 'k', KEY)} FROM machine_key k
    WHERE k.kind = 'node' AND k.node_id = ANY(${ids}) AND ${isValidKey} ORDER BY k.created_at DESC, k.key_id DESC`)
  return Map.groupBy(rows, (row) => row.node_id)
}

async function agentsOf(db: Db, ids: readonly string[]): Promise<Map<string, AgentRow[]>> {
  const { rows } =
    await db.query<AgentRow>(sql`SELECT ${columns('membridge_agent', 'a', AGENT)} FROM membridge_agent a
    WHERE a.name = ANY(${ids})`)
  return Map.groupBy(rows, (row) => row.name)
}

type Known = { projects: readonly NodeRow[]; keys: readonly KeyRow[]; agent: AgentRow | undefined }

function foldNode(node_id: string, { projects, keys, agent }: Known, now: Date): FleetNode {
  const newest = projects[0]
  const first = projects.reduce<Date | null>(
    (earliest, { registered_at: at }) => (earliest && earliest < at ? earliest : at),
    null,
  )
  return {
    node_id,
    state: nodeState(newest?.last_seen ?? null, now),
    last_seen: newest?.last_seen.toISOString() ?? null,
    first_seen: first?.toISOString() ?? null,
    agent_version: newest?.agent_version ?? agent?.agent_version ?? null,
    ip_addrs: newest?.ip_addrs ?? [],
    admin_key: newest?.admin_key ?? false,
    projects: projects
      .filter(isOfProject)
      .map((row) => projectView(row, now))
      .sort(byName),
    agent: agent ? { url: agent.url, registered_at: agent.registered_at.toISOString() } : null,
    keys: keys.map(keyView),
  }
}

/** A node without a project announces itself under the id of its own name: that is a sign of life, and no project. */
const isOfProject = ({ name, node_id, canonical_id }: NodeRow): boolean =>
  name !== null || canonical_id !== canonicalIdOf(node_id, sha256Hex)

const projectView = (row: NodeRow, now: Date): NodeProject => ({
  ...{ canonical_id: row.canonical_id, name: row.name, obs_count: row.obs_count, db_sha: row.db_sha },
  last_seen: row.last_seen.toISOString(),
  online: isOnline(row.last_seen, now),
  role: roleOfNode(remembered(row), { nodeId: row.node_id, leadershipEnabled: row.leadership_enabled }),
  leadership_enabled: row.leadership_enabled,
  pushed_at: row.pushed_at === null ? null : new Date(row.pushed_at * 1_000).toISOString(),
})

const byName = (a: NodeProject, b: NodeProject): number =>
  (a.name ?? '').localeCompare(b.name ?? '') || a.canonical_id.localeCompare(b.canonical_id)

const keyView = (row: KeyRow): NodeKey => ({
  ...{ key_id: row.key_id, name: row.name },
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at?.toISOString() ?? null,
  last_used_at: row.last_used_at?.toISOString() ?? null,
})
