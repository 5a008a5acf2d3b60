/**
 * The list of jobs at 100 000 rows: pages at the head, in the middle and at the end, by every filter of the page,
 * and the counts. Rows are made by SQL, with the ledger's triggers off, because only reading is measured.
 */
import sql from 'sql-template-tag'
import { jobListInput } from '#contracts/job.contract.ts'
import { countJobs } from '#server/jobs/counts.query.ts'
import { jobFailures } from '#server/jobs/failures.query.ts'
import { listJobs } from '#server/jobs/list.query.ts'
import type { Db } from '#server/ledger/database.ts'
import { placeToCursor } from '#server/ledger/keyset.ts'
import { agentName, createAgents, openStage, type Stage } from './queue-stage.ts'

const JOBS = Number(process.env.ROWS ?? 100_000)
const AGENTS = 64
const ROUNDS = 40

async function fill(stage: Stage): Promise<void> {
  await createAgents(stage.database, AGENTS)
  await stage.database.transaction(async (tx) => {
    await tx.query(sql`SET LOCAL session_replication_role = replica`)
    await tx.query(sql`INSERT INTO job (job_id, status, job_type, agent_slug, requested_by, payload, payload_digest, reserved_artifact_id, title,
        created_at, artifact_id, failure_kind, not_before, error, finished_at)
      SELECT gen_random_uuid(), s, 'RESEARCH', 'agent-' || lpad((n % ${AGENTS})::text, 4, '0'), 'owner', '{"query": "q"}', 'd', 'art-' || n,
        'Question ' || n || ' of the garden', now() - n * interval '7 seconds', CASE s WHEN 'COMPLETE' THEN 'art-' || n END,
        CASE WHEN s IN ('FAILED', 'DEAD') THEN 'operator' END, CASE s WHEN 'RETRY_BACKOFF' THEN now() END,
        CASE WHEN s IN ('FAILED', 'DEAD') THEN jsonb_build_object('code', 'NLM_UNAVAILABLE', 'phase', 'NOTEBOOKLM_CALL', 'message', 'no answer after ' || n || ' s') END,
        now()
      FROM (SELECT n, CASE WHEN n % 50 = 0 THEN 'DEAD' WHEN n % 40 = 0 THEN 'FAILED' WHEN n % 500 = 1 THEN 'QUEUED' WHEN n % 5000 = 2 THEN 'RETRY_BACKOFF'
        ELSE 'COMPLETE' END AS s FROM generate_series(1, ${JOBS}::int) n) t`)
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
  return placeToCursor({ at: rows[0]?.created_at as Date, id: rows[0]?.job_id as string })
}

/** Runs the whole and prints one line a view. */
export async function benchJobLists(say: (line: string) => void = console.log): Promise<void> {
  const stage = await openStage()
  try {
    await fill(stage)
    const db = stage.database
    const page = (input: object) => () => listJobs(db, jobListInput.parse(input))
    const views: [string, () => Promise<unknown>][] = [
      ['head', page({})],
      ['50 % deep', page({ cursor: await cursorAt(db, JOBS / 2) })],
      ['99 % deep', page({ cursor: await cursorAt(db, Math.floor(JOBS * 0.99)) })],
      ['one agent', page({ agent: agentName(7) })],
      ['DEAD', page({ status: 'DEAD' })],
      ['RETRY_BACKOFF (rare)', page({ status: 'RETRY_BACKOFF' })],
      ['FAILED or DEAD', page({ status: ['FAILED', 'DEAD'] })],
      ['text, common', page({ q: 'garden' })],
      ['text, one match', page({ q: `Question ${JOBS - 3} of` })],
      ['counts', () => countJobs(db)],
      ['failure groups', () => jobFailures(db)],
    ]
    for (const [name, work] of views)
      say(`jobs at ${JOBS}: ${name.padEnd(22)} p95 ${await p95(work)} ms   (aim ≤ 50)`)
  } finally {
    await stage.close()
  }
}

if (process.argv[1] === import.meta.filename) await benchJobLists()
