/** SQL: capped counts, and streaks over the newest events; every statement touches a bounded number of rows of an index. */
import sql, { type Sql } from 'sql-template-tag'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { ERROR_BUDGET, QUEUED_SECONDS } from '#domain/alert/windows.ts'
import { EVENT_NAMES } from '#domain/event/event-names.ts'
import { type JobEvent, jobMachine } from '#domain/job/job.machine.ts'
import type { FailureKind } from '#domain/job/job.rules.ts'
import type { CallOutcome } from '#domain/job/nlm-outcome.rules.ts'
import { state, states } from '#server/ledger/states.ts'
import { ago, COUNT_CAP, type Fact, type FactParts } from './fact-parts.ts'

const QUEUED = state(jobMachine, 'QUEUED')
const DEAD = state(jobMachine, 'DEAD')
const AGENT_ACTIVE = state(agentMachine, 'active')
const ENDED_BADLY = states(jobMachine, 'FAILED', 'DEAD')
/** Why a job may wait although nothing is wrong: somebody or a limit holds it, as a person or its errors hold an agent. */
const GOVERNED = ['quota', 'throttled', 'breaker_open', 'maintenance', 'dependency']
const DAY = 24 * 3_600
/** Waiting jobs, failures and transitions that one look considers: the oldest, the newest, the newest. */
const SCANNED = 10_000
const FAILURES = 5_000
const TRANSITIONS = 2_000
/** Enough completed jobs to know that a share is below the limit that closes: 1 in 126 is less than 0.8 %, 1 in 21 less than the budget. */
const DEAD_RATE_BOUND = 125
const BUDGET_BOUND = 1 / ERROR_BUDGET
/** At least so many are counted, for rules that want enough samples. */
const SAMPLES = 20
/** How an answer of 401 or 403 is recorded. */
const UNAUTHORIZED: Extract<CallOutcome, { kind: 'fatal' }>['code'] = 'NLM_REFUSED'
const BY_A_PERSON: readonly FailureKind[] = ['cancelled', 'operator']

export const jobFacts = async (parts: FactParts): Promise<Fact[]> => [
  ...(await queueFacts(parts)),
  ...(await rateFacts(parts)),
  ...(await streakFacts(parts)),
]

async function queueFacts({ db, now }: FactParts): Promise<Fact[]> {
  const { rows } = await db.query<{ queued: number; dead: number }>(sql`SELECT
    (SELECT count(*) FROM (SELECT 1 FROM (SELECT j.wait_reason, j.agent_slug FROM job j WHERE j.status = ${QUEUED} AND j.updated_at < ${ago(now, QUEUED_SECONDS)}
        ORDER BY j.updated_at LIMIT ${SCANNED}) oldest
      WHERE (oldest.wait_reason IS NULL OR oldest.wait_reason <> ALL(${GOVERNED}::text[]))
        AND NOT EXISTS (SELECT 1 FROM agent a WHERE a.slug = oldest.agent_slug AND a.status <> ${AGENT_ACTIVE}) LIMIT ${COUNT_CAP}) waiting) AS queued,
    (SELECT count(*) FROM (SELECT 1 FROM job j WHERE j.status = ${DEAD} LIMIT ${COUNT_CAP}) d) AS dead`)
  const { queued = 0, dead = 0 } = rows[0] ?? {}
  return [
    { condition: 'jobs_queued', resource: 'jobs', value: queued },
    { condition: 'dead_jobs', resource: 'jobs', value: dead },
  ]
}

async function rateFacts({ db, now }: FactParts): Promise<Fact[]> {
  const week = await endedSince(db, now, { seconds: 7 * DAY, counted: sql`f.dead`, bound: DEAD_RATE_BOUND })
  const burn = async (seconds: number) => {
    const ended = await endedSince(db, now, { seconds, counted: sql`f.failed`, bound: BUDGET_BOUND })
    return {
      value: share(ended.failed, ended) / ERROR_BUDGET,
      samples: ended.all,
      resource: 'job_completion',
    }
  }
  return [
    { condition: 'dead_rate', resource: 'jobs', value: share(week.dead, week), samples: week.all },
    { condition: 'slo_6h', ...(await burn(DAY / 4)) },
    { condition: 'slo_1h', ...(await burn(DAY / 24)) },
  ]
}

type Ended = { failed: number; dead: number; all: number }
const share = (part: number, { all }: Ended) => (all > 0 ? part / all : 0)

/**
 * Jobs that ended in the window; those that a person ended count as neither. A completed job is its artifact; answers of LLM Tasks are none. Completed jobs are counted
 * up to `bound` for each counted failure, which decides every comparison without counting them all. With very many failures the window is
 * that of the newest.
 */
async function endedSince(
  db: FactParts['db'],
  now: Date,
  { seconds, counted, bound }: { seconds: number; counted: Sql; bound: number },
): Promise<Ended> {
  const { rows } = await db.query<{
    failed: number
    dead: number
    completed: number
  }>(sql`WITH newest AS MATERIALIZED (
      SELECT j.status, j.failure_kind, j.finished_at FROM job j
      WHERE j.status IN ${ENDED_BADLY} AND j.finished_at > ${ago(now, seconds)} AND j.finished_at <= ${now}
      ORDER BY j.finished_at DESC LIMIT ${FAILURES}
    ), f AS (
      SELECT count(*) FILTER (WHERE coalesce(n.failure_kind, '') <> ALL(${BY_A_PERSON}::text[])) AS failed, count(*) FILTER (WHERE n.status = ${DEAD}) AS dead,
        CASE WHEN count(*) = ${FAILURES} THEN min(n.finished_at) ELSE ${ago(now, seconds)} END AS since FROM newest n
    )
    SELECT f.failed, f.dead, (SELECT count(*) FROM (SELECT 1 FROM artifact a WHERE a.job_id IS NOT NULL AND a.created_at > f.since AND a.created_at <= ${now}
      LIMIT ${counted} * ${bound}::int + ${SAMPLES}::int) c) AS completed FROM f`)
  const { failed = 0, dead = 0, completed = 0 } = rows[0] ?? {}
  return { failed, dead, all: failed + completed }
}

const transitioned = (...events: readonly JobEvent[]): Sql => sql`r.transition = ANY(${[...events]}::text[])`

type Streaks = {
  writes: number
  written: boolean
  contexts: number
  assembled: boolean
  busy: number
  calls: number
  unauthorized: number
  answered: boolean
}

/** Failures since the last success among the newest transitions. Without a success in sight nothing is settled. */
async function streakFacts({ db, now, standing }: FactParts): Promise<Fact[]> {
  const since = (success: JobEvent) =>
    sql`r.id > coalesce((SELECT max(r.id) FROM recent r WHERE ${transitioned(success)}), 0)`
  const { rows } = await db.query<Streaks>(sql`WITH recent AS MATERIALIZED (
      SELECT e.id, e.transition, e.error_code, e.ts FROM event e WHERE e.name = ${EVENT_NAMES.job.commit} ORDER BY e.id DESC LIMIT ${TRANSITIONS}
    )
    SELECT count(*) FILTER (WHERE ${transitioned('write_error')} AND ${since('commit')}) AS writes,
      count(*) FILTER (WHERE ${transitioned('commit')}) > 0 AS written,
      count(*) FILTER (WHERE ${transitioned('context_timeout')} AND ${since('context_ready')}) AS contexts,
      count(*) FILTER (WHERE ${transitioned('context_ready')}) > 0 AS assembled,
      count(*) FILTER (WHERE ${transitioned('nlm_busy')} AND r.ts > ${ago(now, DAY / 24)}) AS busy,
      count(*) FILTER (WHERE ${transitioned('nlm_busy', 'nlm_answered')} AND r.ts > ${ago(now, DAY / 24)}) AS calls,
      count(*) FILTER (WHERE ${transitioned('fatal')} AND r.error_code = ${UNAUTHORIZED} AND ${since('nlm_answered')}) AS unauthorized,
      count(*) FILTER (WHERE ${transitioned('nlm_answered')}) > 0 AS answered
    FROM recent r`)
  const found = rows[0] as Streaks
  return [
    { condition: 'artifact_writes', resource: 'artifacts', value: found.writes, settled: found.written },
    { condition: 'contexts', resource: 'contexts', value: found.contexts, settled: found.assembled },
    {
      condition: 'nlm_errors',
      resource: 'nlm_backend',
      value: found.calls > 0 ? found.busy / found.calls : 0,
      samples: found.calls,
    },
    {
      condition: 'nlm_refused',
      resource: 'nlm_backend',
      value: found.unauthorized,
      // One that stands waits for an answer; one of another condition does not, in a garden that has none yet.
      settled: found.answered || !standing.some((alert) => alert.condition === 'nlm_refused'),
    },
  ]
}
