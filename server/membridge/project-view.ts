import sql, { type Sql } from 'sql-template-tag'
import type { ProjectView } from '#contracts/membridge.contract.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { seconds, secondsOrNull } from './membridge-rows.ts'

const COLUMNS = ['name', 'canonical_id', 'source', 'created_at'] as const
type ProjectRow = Row<'membridge_project', (typeof COLUMNS)[number]> & {
  nodes_count: number
  last_seen: Date | null
}

/** A project over the alias, with what is known of its nodes under the alias `s` ({@link NODES_BY_PROJECT}, or {@link nodesOf}). */
export const projectColumns = (alias: string): Sql =>
  sql`${columns('membridge_project', alias, COLUMNS)}, coalesce(s.nodes_count, 0) AS nodes_count, s.last_seen`

export const NODES_BY_PROJECT: Sql = sql`(SELECT n.canonical_id, count(*)::int AS nodes_count, max(n.last_seen) AS last_seen
  FROM membridge_node n GROUP BY n.canonical_id)`
export const nodesOf = (canonicalId: Sql): Sql =>
  sql`(SELECT count(*)::int AS nodes_count, max(n.last_seen) AS last_seen FROM membridge_node n WHERE n.canonical_id = ${canonicalId})`

export const projectView = ({ created_at, last_seen, ...plain }: ProjectRow): ProjectView => ({
  ...plain,
  created_at: seconds(created_at),
  last_seen: secondsOrNull(last_seen),
})

export type { ProjectRow }
