/** SQL, not Prisma Client, which the Control Plane's process does not open. */
import sql from 'sql-template-tag'
import type { NodeView } from '#contracts/membridge.contract.ts'
import { isCanonicalId } from '#domain/membridge/identity.rules.ts'
import { isOnline } from '#domain/membridge/liveness.rules.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { seconds } from './membridge-rows.ts'
import { NO_LEASE } from './node-leadership.ts'

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
] as const
type NodeRow = Row<'membridge_node', (typeof COLUMNS)[number]>

/** The nodes that were ever heard of a project, by name; none of an id that nobody has named. */
export async function listNodes({ db }: Pick<Services, 'db'>, { cid }: { cid: string }): Promise<NodeView[]> {
  if (!isCanonicalId(cid)) return []
  const now = await ledgerNow(db)
  const { rows } = await db.query<NodeRow>(sql`SELECT ${columns('membridge_node', 'n', COLUMNS)}
    FROM membridge_node n WHERE n.canonical_id = ${cid} ORDER BY n.node_id`)
  return rows.map((row) => nodeView(row, now))
}

const nodeView = ({ last_seen, registered_at, ...plain }: NodeRow, now: Date): NodeView => ({
  ...plain,
  role: NO_LEASE.role,
  last_seen: seconds(last_seen),
  registered_at: seconds(registered_at),
  online: isOnline(last_seen, now),
})
