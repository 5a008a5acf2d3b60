/**
 * How the statements of the queue are carried out beside a long history, whatever the statistics of the moment say: none may read the
 * history, neither as a whole nor through an index that leaves it out row by row.
 */
import sql, { type Sql } from 'sql-template-tag'
import { jobMachine } from '#domain/job/job.machine.ts'
import { commitAnswers } from '#server/artifacts/write-artifact.ts'
import type { Database, Db } from '#server/ledger/database.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { state } from '#server/ledger/states.ts'
import type { Plan, Scan, WatchedDatabase } from '#server/ledger/testing/executed-plans.ts'
import { pollBackend, readyContexts } from '../backend-call.ts'
import type { LeasedJob } from '../job-row.ts'
import { endOverduePhases, heartbeatLeases, reapLeases, transferLeases } from '../leases.ts'
import { cancelJobsOfArchived } from '../operate-job.ts'
import { claimJobs } from '../queue.ts'
import { backOffJob, markExhaustedDead, nextReleaseInMs, releaseJobs } from '../retry.ts'
import { addAgent, addJob, answerFor, endBackoff, expireLeases } from './queue-room.ts'

const AGENTS = 8
const agent = (n: number) => `agent-${n}`
const COMPLETE = state(jobMachine, 'COMPLETE')

const at = sql`now() - interval '1 day' + n * interval '1 millisecond'`

/** So many jobs that are done, and a fifth as many artifacts, and events that are sealed; takes the superuser, who may leave the ledger's triggers out. */
const historyOf = (jobs: number): Sql[] => [
  sql`INSERT INTO job (job_id, status, job_type, agent_slug, requested_by, payload, payload_digest, reserved_artifact_id, artifact_id, created_at)
    SELECT lpad(to_hex(n), 32, '0')::uuid, ${COMPLETE}, 'RESEARCH', 'agent-' || n % ${AGENTS}::int, 'owner', '{}', 'd', 'art-' || n, 'art-' || n, ${at}
    FROM generate_series(1, ${jobs}::int) n`,
  sql`INSERT INTO artifact (artifact_id, job_id, agent_slug, type, title, object_key, content_sha256, bytes, created_at)
    SELECT 'art-' || n, lpad(to_hex(n), 32, '0')::uuid, 'agent-' || n % ${AGENTS}::int, 'RESEARCH', 'Answer ' || n, 'artifacts/' || n, 's', 1, ${at}
    FROM generate_series(1, ${jobs / 5}::int) n`,
  sql`INSERT INTO event (name, actor, actor_role, resource_type, resource_id, ts, event_id, body)
    SELECT 'job.status.update', 'worker', 'service', 'job', n::text, ${at}, 'evt_' || n, '{}' FROM generate_series(1, ${jobs / 5}::int) n`,
  sql`INSERT INTO event_seal (seq, event, prev_hash, hash) SELECT h.seq + row_number() OVER (ORDER BY e.id), e.id, '\\x', '\\x'
    FROM event e, event_head h WHERE e.id > h.low AND e.body = '{}'`,
  sql`UPDATE event_head SET (seq, low) = (SELECT (SELECT max(seq) FROM event_seal), (SELECT max(id) FROM event))`,
]

export const fillHistory = (db: Db, jobs: number): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.query(sql`SET LOCAL session_replication_role = replica`)
    for (const part of historyOf(jobs)) await tx.query(part)
  })

/** Lets the planner believe that all jobs are in this state: statistics that were taken during a burst say so long after it. */
export async function believeAll(db: Db, status: 'PENDING' | 'QUEUED'): Promise<void> {
  await db.query(sql`SELECT pg_restore_attribute_stats('schemaname', 'public', 'relname', 'job', 'attname', 'status', 'inherited', false,
    'null_frac', 0::real, 'avg_width', 8::integer, 'n_distinct', 1::real,
    'most_common_vals', ${`{${status}}`}::text, 'most_common_freqs', '{1}'::real[])`)
}

export async function addAgents(db: Db): Promise<void> {
  for (let n = 0; n < AGENTS; n++) await addAgent(db, agent(n))
}

type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** Jobs through all that can become of them, each act of the queue as a step. */
async function liveOnce(db: Database, step: Step): Promise<void> {
  for (let n = 0; n < AGENTS; n++)
    await step('submit', () => addJob(db, { agent: agent(n), max_attempts: 1 }))
  const jobs = await step('claim', () => claimJobs({ db }, { holder: 'w', limit: AGENTS }))
  const [busy, lost, late, ...others] = jobs as [LeasedJob, LeasedJob, LeasedJob, ...LeasedJob[]]
  await step('heartbeat', () => heartbeatLeases(db, 'w'))
  await step('ready', () => readyContexts(db, jobs.map(contextOf)))
  await db.query(sql`UPDATE job SET poll_at = now() WHERE job_id = ${late.job_id}`)
  await step('poll', () => pollBackend({ db }, { job: async () => undefined }))
  await step('back off', () => backOffJob({ db }, 'nlm_busy', busy, { code: 'RATE_LIMIT', message: 'x' }))
  await step('next release', () => nextReleaseInMs(db))
  await expireLeases(db, [lost.job_id])
  await step('reap', () => reapLeases({ db }))
  await db.query(
    sql`UPDATE job SET phase_deadline = now() - interval '1 second' WHERE job_id = ${late.job_id}`,
  )
  await step('overdue phases', () => endOverduePhases({ db }, 'w'))
  for (const { job_id } of [busy, lost, late]) await endBackoff(db, job_id)
  await step('release', () => releaseJobs(db))
  await step('commit', () => commitAnswers({ db }, others.map(answerFor)))
  await step('transfer', () => transferLeases(db, 'w'))
  const again = await step('claim', () => claimJobs({ db }, { holder: 'w', limit: AGENTS }))
  await step('ready', () => readyContexts(db, again.map(contextOf)))
  await expireLeases(
    db,
    again.map(({ job_id }) => job_id),
  )
  await step('reap the last attempts', () => reapLeases({ db }))
  await step('mark dead', () => markExhaustedDead(db))
  await step('cancel of archived', () => cancelJobsOfArchived(db))
  await step('seal', () => sealAll(db))
}

const contextOf = ({ job_id, fence }: LeasedJob) => ({
  ...{ job_id, fence, context_key: `contexts/${job_id}`, context_sha256: 's' },
  write_token_hash: 'h',
})

/** One job from its submission to its artifact. */
export async function liveBriefly(db: Database): Promise<void> {
  await addJob(db, { agent: agent(0) })
  const jobs = await claimJobs({ db }, { holder: 'w', limit: 1 })
  await readyContexts(db, jobs.map(contextOf))
  await commitAnswers({ db }, jobs.map(answerFor))
}

/** What grows with every job. */
const GROWING = ['job', 'event', 'event_seal', 'artifact', 'artifact_labels']
/**
 * For the few jobs of a life and their events: rows that a scan may give, rows that it may leave out, pages that it may look at, and as many again
 * for each row. Of the pages, those of the functions that it asks are a part, and those of the catalogues that its server process reads anew for their
 * plans: 150 as a rule, 600 once, when databases of other tests had come and gone meanwhile. History has a page for nearly each row.
 */
const LIMITS = { rows: 500, leftOut: 64, pages: 1_500, pagesOfRow: 8 }

function faultOf({ table, how, index, ...read }: Scan): string | null {
  if (!GROWING.includes(table)) return null
  if (how === 'Seq Scan') return `reads all of ${table}`
  if (read.rows > LIMITS.rows) return `reads ${read.rows} rows of ${table} along ${index}`
  if (read.leftOut > LIMITS.leftOut) return `leaves out ${read.leftOut} rows of ${table} along ${index}`
  if (read.pages > LIMITS.pages + LIMITS.pagesOfRow * (read.loops + read.rows + read.leftOut))
    return `looks at ${read.pages} pages of ${table} along ${index}`
  return null
}

/** Lives after which PostgreSQL has settled whether it plans a statement anew each time. */
const SETTLED = 6

/** What is wrong with the plans of the queue's life, lived so many times: a step of it, what it reads, in which statement. */
export async function historyReads(db: WatchedDatabase, lives = SETTLED): Promise<string[]> {
  const faults = new Set<string>()
  const step: Step = async (name, work) => {
    const { value, plans } = await db.plansOf(work)
    if (plans.length === 0) throw new Error(`no plan of "${name}" was seen`)
    for (const { statement, scans } of plans)
      for (const scan of scans) {
        const fault = faultOf(scan)
        if (fault) faults.add(`${name}: ${fault}: ${statement.slice(0, 160)}`)
      }
    for (const [leap, times] of leaps(plans)) if (times > 1) faults.add(`${name}: ${times} times: ${leap}`)
    return value
  }
  for (let life = 0; life < lives; life++) await liveOnce(db, step)
  return [...faults]
}

/** How often each question which rows may be taken was asked: once is enough, also while a plan is made. */
function leaps(plans: Plan[]): Map<string, number> {
  const asked = new Map<string, number>()
  for (const { statement } of plans)
    if (statement.startsWith('ARRAY(WITH RECURSIVE'))
      asked.set(statement.slice(0, 80), (asked.get(statement.slice(0, 80)) ?? 0) + 1)
  return asked
}
