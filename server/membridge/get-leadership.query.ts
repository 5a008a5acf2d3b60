import sql from 'sql-template-tag'
import type { ProjectLeadership } from '#contracts/leadership-console.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/services.ts'
import { besideProject, type SummaryRow, summaryColumns, summaryOf } from './leadership-summary.ts'
import { listNodeDetails } from './list-nodes.query.ts'
import { refreshMirror } from './refresh-mirror.ts'

type Parts = Pick<Services, 'db' | 'store' | 'storeConditions' | 'log'>
type Row = SummaryRow & { is_known: boolean }

/**
 * Leadership of one project as the store has it at this moment, an unreadable lease included, with every node against it. 404 for an id under
 * which no project, node or lease was ever heard of.
 */
export async function getLeadership(
  services: Parts,
  { cid }: { cid: string },
): Promise<Result<ProjectLeadership>> {
  if (!(await readRow(services, cid)).is_known)
    return refuse({ code: 'NOT_FOUND', message: `No project has the id '${cid}'.` })
  const { refusal } = await services.storeConditions.ensure()
  await refreshMirror(services, cid)
  const row = await readRow(services, cid)
  const { nodes: _, nodes_online: __, lease_state, ...summary } = summaryOf(row)
  return ok({
    ...summary,
    lease_state: lease_state ?? 'unreadable',
    ...{ issued_by: row.issued_by, lease_seconds: row.lease_seconds },
    nodes: await listNodeDetails(services, { cid }),
    store_refusal: refusal,
  })
}

async function readRow({ db }: Parts, cid: string): Promise<Row> {
  const { rows } = await db.query<Row>(sql`SELECT q.canonical_id, coalesce(p.name, q.canonical_id) AS name,
      p.canonical_id IS NOT NULL OR l.canonical_id IS NOT NULL OR n.nodes > 0 AS is_known, ${summaryColumns}
    FROM (SELECT ${cid}::text AS canonical_id) q LEFT JOIN membridge_project p ON p.canonical_id = q.canonical_id
    ${besideProject(sql`q.canonical_id`)}`)
  return rows[0] as Row
}
