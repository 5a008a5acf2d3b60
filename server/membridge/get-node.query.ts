/** SQL, not Prisma Client: the node is folded as in the list. */
import sql from 'sql-template-tag'
import type { NodeDetail, NodeSync } from '#contracts/node.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { fleetNodes } from './fleet-nodes.ts'
import './membridge-rows.ts'

const SHOWN_SYNCS = 20
const COLUMNS = [
  ...(['sync_id', 'action', 'status', 'project', 'detail'] as const),
  ...(['requested_by', 'created_at', 'finished_at'] as const),
] as const

/** A node with its newest syncs; 404 for an id that nothing is known of. */
export async function getNode(
  { db }: Pick<Services, 'db'>,
  { node_id }: { node_id: string },
): Promise<Result<NodeDetail>> {
  const [[node], syncs] = await Promise.all([fleetNodes(db, [node_id]), syncsOf(db, node_id)])
  return node ? ok({ ...node, syncs }) : refuse({ code: 'NOT_FOUND', message: 'There is no such node.' })
}

async function syncsOf(db: Db, nodeId: string): Promise<NodeSync[]> {
  const { rows } = await db.query<Row<'membridge_sync', (typeof COLUMNS)[number]>>(
    sql`SELECT ${columns('membridge_sync', 's', COLUMNS)} FROM membridge_sync s
      WHERE s.agent = ${nodeId} ORDER BY s.created_at DESC, s.sync_id DESC LIMIT ${SHOWN_SYNCS}`,
  )
  return rows.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  }))
}
