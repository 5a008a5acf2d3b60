/** SQL, not Prisma Client, which the Control Plane's process does not open. */
import sql from 'sql-template-tag'
import type { NodeDetail } from '#contracts/leadership.contract.ts'
import type { NodeView } from '#contracts/membridge.contract.ts'
import { roleOfNode } from '#domain/leadership/mirror.rules.ts'
import { isCanonicalId } from '#domain/membridge/identity.rules.ts'
import { isOnline } from '#domain/membridge/liveness.rules.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { type RememberedRow, remembered, rememberedColumns } from './lease-mirror.ts'
import { seconds } from './membridge-rows.ts'

const COLUMNS = [
  'node_id',
  'canonical_id',
  'obs_count',
  'db_sha',
  'last_seen',
  'ip_addrs',
  'registered_at',
  'project_id',
  'agent_version',
  'leadership_enabled',
  'admin_key',
] as const
type NodeRow = Row<'membridge_node', (typeof COLUMNS)[number]> & RememberedRow
type Parts = Pick<Services, 'db'>

/** The nodes that were ever heard of a project, by name; none of an id that nobody has named. */
export async function listNodes(services: Parts, project: { cid: string }): Promise<NodeView[]> {
  const nodes = await listNodeDetails(services, project)
  return nodes.map(({ leadership_enabled: _, admin_key: __, ...view }) => view)
}

/** The same for the console, with what the wire of existing clients has no field for. */
export async function listNodeDetails({ db }: Parts, { cid }: { cid: string }): Promise<NodeDetail[]> {
  if (!isCanonicalId(cid)) return []
  const now = await ledgerNow(db)
  const { rows } =
    await db.query<NodeRow>(sql`SELECT ${columns('membridge_node', 'n', COLUMNS)}, ${rememberedColumns}
    FROM membridge_node n LEFT JOIN membridge_lease l ON l.canonical_id = n.canonical_id
    WHERE n.canonical_id = ${cid} ORDER BY n.node_id`)
  return rows.map((row) => nodeDetail(row, now))
}

function nodeDetail(row: NodeRow, now: Date): NodeDetail {
  const { lease_state, holder, remaining, epoch: _, term: __, last_seen, registered_at, ...plain } = row
  const { node_id, leadership_enabled } = plain
  return {
    ...plain,
    role: roleOfNode(remembered({ lease_state, holder, remaining }), {
      nodeId: node_id,
      leadershipEnabled: leadership_enabled,
    }),
    last_seen: seconds(last_seen),
    registered_at: seconds(registered_at),
    online: isOnline(last_seen, now),
  }
}
