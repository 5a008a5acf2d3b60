import sql from 'sql-template-tag'
import { DEMO_AGENTS } from '../demo-garden.ts'
import type { Ground } from './ground.ts'
import { eventRows, jobRows, listRows } from './large-rows.ts'

/** Fills every list with so many rows and reports them; jobs and artifacts of one number belong together. */
export async function fillLarge(ground: Ground, count: number): Promise<void> {
  const size = { count, agents: DEMO_AGENTS, revision: await ground.garden.head() }
  await ground.database.transaction(async (tx) => {
    await tx.query(sql`SET LOCAL session_replication_role = replica`)
    for (const statement of [...listRows(size), jobRows(size), eventRows()]) await tx.query(statement)
    await tx.query(
      sql`UPDATE artifact a SET job_id = j.job_id FROM job j WHERE j.artifact_id = a.artifact_id`,
    )
  })
  await ground.database.pool.query('VACUUM ANALYZE')
}
