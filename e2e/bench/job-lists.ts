/**
 * The list of jobs at 100 000 rows: pages at the head, in the middle and at the end, by every filter of the page,
 * and the counts. Rows are made by SQL, with the ledger's triggers off, because only reading is measured.
 */
import sql from 'sql-template-tag'
import { jobListInput } from '#contracts/job.contract.ts'
import { jobRows } from '#prisma/seed/scenarios/large-rows.ts'
import { listFailures } from '#server/jobs/list-failures.query.ts'
import { countJobs, listJobs, newestJobs } from '#server/jobs/list-jobs.query.ts'
import { ADDRESSES, OWNER } from '#server/jobs/testing/queue-room.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Figures } from './figures.ts'
import { benchSize, ROWS } from './list-rows.ts'
import { addView } from './list-views.ts'
import { agentName, createAgents, openStage, type Stage } from './queue-stage.ts'

const AGENTS = 64

async function fill(stage: Stage): Promise<void> {
  await createAgents(stage.database, AGENTS)
  await stage.database.transaction(async (tx) => {
    await tx.query(sql`SET LOCAL session_replication_role = replica`)
    await tx.query(jobRows(benchSize(AGENTS)))
  })
  await stage.database.pool.query('VACUUM ANALYZE')
}

/** A cursor so many rows below the head. */
async function cursorAt(db: Db, depth: number): Promise<string> {
  const { rows } = await db.query<{ created_at: Date; job_id: string }>(
    sql`SELECT created_at, job_id FROM job ORDER BY created_at DESC, job_id DESC OFFSET ${depth} LIMIT 1`,
  )
  if (!rows[0]) throw new Error(`no row at ${depth}`)
  return newestJobs.cursorOf(rows[0])
}

export async function benchJobLists(figures: Figures): Promise<void> {
  const stage = await openStage()
  try {
    await fill(stage)
    const { database: db, reads } = stage
    const page = (input: object) => () =>
      listJobs({ db, reads, env: ADDRESSES }, jobListInput.parse(input), OWNER)
    const views: [string, () => Promise<unknown>][] = [
      ['head', page({})],
      ['50 % deep', page({ cursor: await cursorAt(db, ROWS / 2) })],
      ['99 % deep', page({ cursor: await cursorAt(db, Math.floor(ROWS * 0.99)) })],
      ['one agent', page({ agent: agentName(7) })],
      ['DEAD', page({ status: 'DEAD' })],
      ['RETRY_BACKOFF (rare)', page({ status: 'RETRY_BACKOFF' })],
      ['FAILED or DEAD', page({ status: ['FAILED', 'DEAD'] })],
      ['text, common', page({ q: 'garden' })],
      ['text, one match', page({ q: `Question ${ROWS - 3} of` })],
      ['counts', () => countJobs({ db }, OWNER)],
      ['failure groups', () => listFailures({ db }, { resolved: 'no' }, OWNER)],
      ['one failure group', page({ code: 'NLM_TIMEOUT', phase: 'NOTEBOOKLM_CALL' })],
    ]
    for (const [name, work] of views) await addView(figures, `jobs at ${ROWS}: ${name}`, work)
  } finally {
    await stage.close()
  }
}
