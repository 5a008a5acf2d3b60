import sql, { raw } from 'sql-template-tag'
import { DEMO_AGENTS } from '../demo-garden.ts'
import type { Ground } from './ground.ts'
import { eventRows, jobRows, listRows } from './large-rows.ts'

/** Their rows begin in states that the triggers allow as ends alone. Events keep theirs, which make what is hashed. */
const UNGUARDED = ['inbox_entry', 'proposal', 'run', 'artifact', 'job'] as const

/** Fills every list with so many rows and reports them; jobs and artifacts of one number belong together. */
export async function fillLarge(ground: Ground, count: number): Promise<void> {
  const size = { count, agents: DEMO_AGENTS, revision: await ground.garden.head() }
  await ground.database.transaction(async (tx) => {
    for (const table of UNGUARDED) await tx.query(raw(`ALTER TABLE ${table} DISABLE TRIGGER USER`))
    for (const statement of [...listRows(size), jobRows(size), eventRows()]) await tx.query(statement)
    await tx.query(
      sql`UPDATE artifact a SET job_id = j.job_id FROM job j WHERE j.artifact_id = a.artifact_id`,
    )
    for (const table of UNGUARDED) await tx.query(raw(`ALTER TABLE ${table} ENABLE TRIGGER USER`))
  })
  await ground.database.pool.query('VACUUM ANALYZE')
}
