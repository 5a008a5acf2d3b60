import sql from 'sql-template-tag'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { onlineSince } from './online-since.ts'

/**
 * Marks the nodes that have been silent for too long by the database clock and returns them, each once a silence. A node whose row is locked is beating
 * right now, so it is passed over. Whoever reads a node goes by `last_seen`: nobody waits for this to know that it is gone.
 */
export async function markNodesOffline({
  db,
}: Pick<Services, 'db'>): Promise<Row<'membridge_node', 'canonical_id' | 'node_id'>[]> {
  const { rows } = await db.query<Row<'membridge_node', 'canonical_id' | 'node_id'>>(sql`WITH silent AS (
      SELECT n.canonical_id, n.node_id FROM membridge_node n
      WHERE n.online AND n.last_seen <= ${onlineSince}
      ORDER BY n.canonical_id, n.node_id FOR UPDATE SKIP LOCKED
    )
    UPDATE membridge_node n SET online = false FROM silent s
    WHERE (n.canonical_id, n.node_id) = (s.canonical_id, s.node_id) RETURNING n.canonical_id, n.node_id`)
  return rows
}
