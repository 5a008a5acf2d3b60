/**
 * What a job costs PostgreSQL, by step: processor time of the backend that does it, bytes and records of its log. What else the machine is
 * doing adds little to that, and only ever adds: the least of the rounds is the figure, and a change of the ledger is judged by it.
 *
 *   SQL=change.sql   the same with that SQL applied to the ledger, in turns with the ledger as it is
 *   FRESH=1          without statistics, as a new ledger is
 *   N, ROUNDS, BATCH jobs of a round (2 048), rounds (5), jobs of a claim (32)
 *   LETTERS          of a question, at least
 */
import fs from 'node:fs'
import sql from 'sql-template-tag'
import { GATEWAY } from '#domain/authority/caller.ts'
import { commitAnswers } from '#server/artifacts/write-artifact.ts'
import { readyContexts } from '#server/jobs/backend-call.ts'
import type { LeasedJob } from '#server/jobs/job-row.ts'
import { claimJobs } from '#server/jobs/queue.ts'
import { submitJob } from '#server/jobs/submit-job.ts'
import { answerFor } from '#server/jobs/testing/queue-room.ts'
import { migrate } from '#server/launch/migrate.mjs'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { sealAll } from '#server/ledger/seal.ts'
import type { Figures } from './figures.ts'
import { agentName, createAgents, openStage, type Stage } from './queue-stage.ts'

const JOBS = Number(process.env.N ?? 2_048)
const ROUNDS = Number(process.env.ROUNDS ?? 5)
const BATCH = Number(process.env.BATCH ?? 32)
const LETTERS = Number(process.env.LETTERS ?? 0)
const AGENTS = 64
/** Nothing is flushed, and no page is logged as a whole because a checkpoint came before it. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }
const STEPS = ['enqueue', 'claim', 'ready', 'commit', 'seal'] as const
type Step = (typeof STEPS)[number]
/** Of one round: microseconds of processor and bytes of log a job. */
type Cost = Record<Step, { us: number; bytes: number }> & { records: number }

/** A ledger of its own on the stage's server, with one connection. */
async function openLedger(stage: Stage, change: string | undefined): Promise<Database> {
  const url = new URL(stage.url)
  url.pathname = `/cost_${crypto.randomUUID().slice(0, 8)}`
  await stage.database.pool.query(`CREATE DATABASE ${url.pathname.slice(1)}`)
  await migrate(url.toString())
  const database = openDatabase(url.toString(), { connections: 1, name: 'job-cost' })
  if (change) await database.pool.query(fs.readFileSync(change, 'utf8'))
  await createAgents(database, AGENTS)
  return database
}

const costOfNothing = (): Cost => {
  const none = () => ({ us: 0, bytes: 0 })
  return { enqueue: none(), claim: none(), ready: none(), commit: none(), seal: none(), records: 0 }
}

async function measure(stage: Stage, change?: string): Promise<Cost> {
  const database = await openLedger(stage, change)
  const { rows } = await database.query<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`)
  const pid = rows[0]?.pid ?? 0
  const spent = costOfNothing()
  const step = async <T>(name: Step, work: () => Promise<T>): Promise<T> => {
    const before = { ns: processorOf(pid), at: await logPosition(stage) }
    const value = await work()
    spent[name].us += (processorOf(pid) - before.ns) / 1_000 / JOBS
    spent[name].bytes += ((await logPosition(stage)) - before.at) / JOBS
    return value
  }
  const before = await recordsOf(stage, database, pid)
  await runJobs(database, step)
  spent.records = ((await recordsOf(stage, database, pid)) - before) / JOBS
  await database.close()
  return spent
}

async function runJobs(
  db: Database,
  step: <T>(name: Step, work: () => Promise<T>) => Promise<T>,
): Promise<void> {
  await step('enqueue', async () => {
    for (let n = 0; n < JOBS; n++) await enqueue(db, n)
  })
  if (process.env.FRESH !== '1') await db.pool.query('ANALYZE')
  for (;;) {
    const jobs = await step('claim', () => claimJobs({ db }, { holder: 'bench', limit: BATCH }))
    if (jobs.length === 0) return
    await step('ready', () => readyContexts(db, jobs.map(contextOf)))
    const answers = jobs.map(answerFor)
    await step('commit', () => commitAnswers({ db }, answers))
    await step('seal', () => sealAll(db))
  }
}

const enqueue = (db: Database, n: number) =>
  submitJob(
    db,
    {
      job_type: 'RESEARCH',
      agent_slug: agentName(n % AGENTS),
      payload: { query: `Question number ${n}`.padEnd(LETTERS, '?') },
    },
    GATEWAY,
  )

const contextOf = ({ job_id, fence }: LeasedJob) => ({
  ...{ job_id, fence, context_key: `contexts/${job_id}`, context_sha256: 's' },
  write_token_hash: 'h',
})

/** Nanoseconds that a process has been on a processor. */
const processorOf = (pid: number): number =>
  Number(fs.readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0])

async function logPosition({ database }: Stage): Promise<number> {
  const { rows } = await database.query<{ at: number }>(
    sql`SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS at`,
  )
  return rows[0]?.at ?? 0
}

/** Records that a backend has written to the log. */
async function recordsOf(stage: Stage, measured: Database, pid: number): Promise<number> {
  await measured.query(sql`SELECT pg_stat_force_next_flush()`)
  const { rows } = await stage.database.query<{ records: number }>(
    sql`SELECT (to_json(w) ->> 'wal_records')::float8 AS records FROM pg_stat_get_backend_wal(${pid}) AS w`,
  )
  return rows[0]?.records ?? 0
}

/** The least of the rounds: what else the machine does only adds. */
function addCosts(figures: Figures, name: string, costs: readonly Cost[]): void {
  const least = (read: (cost: Cost) => number) => Math.min(...costs.map(read))
  const whole = (of: 'us' | 'bytes') => least((cost) => STEPS.reduce((sum, step) => sum + cost[step][of], 0))
  const parts = (of: 'us' | 'bytes') =>
    Object.fromEntries(STEPS.map((step) => [step, least((cost) => cost[step][of])]))
  for (const [figure, of, unit] of [
    ['processor of PostgreSQL', 'us', 'µs/job'],
    ['log', 'bytes', 'bytes/job'],
  ] as const)
    figures.add(`${figure}, ${name}`, whole(of), { unit, breakdown: { unit, parts: parts(of) } })
  figures.add(
    `records of the log, ${name}`,
    least((cost) => cost.records),
    { unit: 'records/job' },
  )
}

export async function benchJobCost(figures: Figures): Promise<void> {
  const change = process.env.SQL
  const stage = await openStage(SETTINGS)
  const [asIs, changed]: [Cost[], Cost[]] = [[], []]
  try {
    for (let round = 0; round < ROUNDS; round++) {
      asIs.push(await measure(stage))
      if (change) changed.push(await measure(stage, change))
    }
    addCosts(figures, 'as it is', asIs)
    if (change) addCosts(figures, 'changed', changed)
  } finally {
    await stage.close()
  }
}
