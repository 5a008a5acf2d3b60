import sql from 'sql-template-tag'
import { jobRows } from '#prisma/seed/scenarios/large-rows.ts'
import { failureGroups } from '#server/jobs/list-failures.query.ts'
import { benchSize } from './list-rows.ts'
import { createAgents, openStage } from './queue-stage.ts'
const stage = await openStage()
await createAgents(stage.database, 64)
await stage.database.transaction(async (tx) => { await tx.query(sql`SET LOCAL session_replication_role = replica`); await tx.query(jobRows(benchSize(64))); await tx.query(sql`UPDATE job SET finished_at = created_at`) })
await stage.database.pool.query('VACUUM ANALYZE')
for (let i=0;i<3;i++) { const p = await stage.database.query<any>(sql`EXPLAIN (ANALYZE, BUFFERS) ${failureGroups()}`)
console.log(p.rows.map((r:any)=>r['QUERY PLAN'].slice(0,170)).join('\n')) }
const q = await stage.database.query<any>(sql`EXPLAIN (ANALYZE, BUFFERS) SELECT job_id FROM job WHERE status IN ('FAILED','DEAD') AND (error #> ARRAY['code']::text[])::jsonb = '"NLM_TIMEOUT"'::jsonb AND (error#>ARRAY['phase']::text[])::jsonb = '"NOTEBOOKLM_CALL"'::jsonb ORDER BY created_at DESC, job_id DESC LIMIT 51`)
console.log(q.rows.map((r:any)=>r['QUERY PLAN'].slice(0,170)).join('\n'))
await stage.close()
