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
import { say as print } from '../fixtures/report.ts'
import { benchSize, ROWS } from './list-rows.ts'
import { agentName, createAgents, openStage, type Stage } from './queue-stage.ts'

const AGENTS = 64
const ROUNDS = 40

async function fill(stage: Stage): Promise<void> {
  await createAgents(stage.database, AGENTS)
  await stage.database.transaction(async (tx) => {
    await tx.query(sql`SET LOCAL session_replication_role = replica`)
    await tx.query(jobRows(benchSize(AGENTS)))
  })
  await stage.database.pool.query('VACUUM ANALYZE')
}

async function p95(work: () => Promise<unknown>): Promise<string> {
  const times: number[] = []
  for (let n = 0; n < ROUNDS; n++) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  return (times[Math.floor(ROUNDS * 0.95)] ?? Number.NaN).toFixed(1)
}

/** A cursor so many rows below the head. */
async function cursorAt(db: Db, depth: number): Promise<string> {
  const { rows } = await db.query<{ created_at: Date; job_id: string }>(
    sql`SELECT created_at, job_id FROM job ORDER BY created_at DESC, job_id DESC OFFSET ${depth} LIMIT 1`,
  )
  if (!rows[0]) throw new Error(`no row at ${depth}`)
  return newestJobs.cursorOf(rows[0])
}

/** Runs the whole and prints one line a view. */
export async function benchJobLists(say = print): Promise<void> {
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
    for (const [name, work] of views)
      say(`jobs at ${ROWS}: ${name.padEnd(22)} p95 ${await p95(work)} ms   (aim ≤ 50)`)
  } finally {
    await stage.close()
  }
}

if (process.argv[1] === import.meta.filename) await benchJobLists()
