/** SQL, not Prisma Client: the Control Plane's process opens none, and the nodes are counted in the same pass. */
import sql from 'sql-template-tag'
import type { ProjectView } from '#contracts/membridge.contract.ts'
import type { Services } from '#server/services.ts'
import { NODES_BY_PROJECT, type ProjectRow, projectColumns, projectView } from './project-view.ts'

/** All projects, oldest first: those that people registered and those that heartbeats announced. */
export async function listProjects({ db }: Pick<Services, 'db'>): Promise<ProjectView[]> {
  const { rows } = await db.query<ProjectRow>(sql`SELECT ${projectColumns('p')}
    FROM membridge_project p LEFT JOIN ${NODES_BY_PROJECT} s ON s.canonical_id = p.canonical_id
    ORDER BY p.created_at, p.canonical_id`)
  return rows.map(projectView)
}
