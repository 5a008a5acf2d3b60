import type pg from 'pg'
import type { Report } from '../fixtures/report.ts'
import type { Outage } from './product-strikes.ts'

/** A task that was created, and what has to come of it: the answer, or the reason for which it ends without one. */
export type Expected = { taskId: string; answer: string } | { taskId: string; reason: string }

type Ended = {
  task_id: string
  status: string
  error_code: string | null
  last_error: string | null
  artifact_id: string | null
  artifacts: number
  answers: number
  ends: number
  output: string | null
}

/** After its end a lease is noticed by a look every 15 s, and what follows is done within 2 s. */
export const RECOVERY_MS = 17_000

const ALL = `SELECT t.task_id, t.status, t.error_code, t.last_error, t.artifact_id,
  (SELECT count(*)::int FROM artifact a WHERE a.task_id = t.task_id) AS artifacts,
  (SELECT count(*)::int FROM task_attempt a WHERE a.task_id = t.task_id AND a.outcome = 'completed') AS answers,
  (SELECT count(*)::int FROM event e WHERE e.resource_id = t.task_id::text AND e.resource_type = 'task' AND e.to_status IN ('completed', 'dead')) AS ends,
  (SELECT a.result->>'output' FROM task_attempt a WHERE a.lease_id = t.lease_id) AS output
  FROM llm_task t`

/** Every task has ended in one of its two ways, once. */
export async function judgeTasks(
  ledger: pg.Pool,
  expected: readonly Expected[],
  report: Report,
): Promise<Ended[]> {
  const { rows } = await ledger.query<Ended>(ALL)
  const byId = new Map(rows.map((row) => [row.task_id, row]))
  const completed = rows.filter(({ status }) => status === 'completed')
  const dead = rows.filter(({ status }) => status === 'dead')
  const reasons = Object.entries(Object.groupBy(dead, ({ error_code }) => error_code ?? 'none'))
  report.figure('completed', completed.length)
  report.figure(
    'dead',
    `${dead.length}: ${reasons.map(([code, those]) => `${those?.length} ${code}`).join(', ')}`,
  )
  report.check('as many tasks as were asked for', rows.length === expected.length, [
    rows.length,
    expected.length,
  ])
  const stuck = rows.filter((row) => row.status !== 'completed' && row.status !== 'dead')
  report.check('none is stuck', stuck.length === 0, stuck)
  const twice = completed.filter(
    ({ artifacts, answers, ends }) => artifacts !== 1 || answers !== 1 || ends !== 1,
  )
  report.check('each completed task was completed once, with one artifact', twice.length === 0, twice)
  const silent = dead.filter(
    ({ error_code, last_error, artifacts, ends }) =>
      !error_code || !last_error || artifacts > 0 || ends !== 1,
  )
  report.check('each dead task has its reason, and no artifact', silent.length === 0, silent)
  const odd = expected.filter((one) => {
    const row = byId.get(one.taskId)
    if ('reason' in one)
      return row?.status !== 'dead' || ![one.reason, 'worker_crash'].includes(row.error_code ?? '')
    return row?.status === 'completed' ? row.output !== one.answer : row?.error_code !== 'worker_crash'
  })
  report.check(
    'each ended as its prompt has it, or lost every attempt',
    odd.length === 0,
    odd.map(({ taskId }) => byId.get(taskId)),
  )
  return completed
}

type Lost = { task_id: string; end: number; ended: number; next: number | null }

/**
 * How long after the end of a lease its task was queued again or dead; what the product was away for does not count. When it is leased again is printed beside
 * it and not judged: it waits in its turn for a node that runs and has room, which a storm may leave it without.
 */
export async function judgeRecovery(
  ledger: pg.Pool,
  outages: readonly Outage[],
  report: Report,
): Promise<number> {
  const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`
  const { rows } = await ledger.query<Lost>(
    `SELECT l.task_id, ${ms('l.expires_at')} AS end, ${ms('l.ended_at')} AS ended,
      (SELECT ${ms('min(n.started_at)')} FROM task_lease n WHERE n.task_id = l.task_id AND n.fence > l.fence) AS next
    FROM task_lease l WHERE l.status = 'expired'`,
  )
  const away = (from: number, to: number) =>
    outages.reduce(
      (sum, outage) => sum + Math.max(0, Math.min(to, outage.to) - Math.max(from, outage.from)),
      0,
    )
  const waits = rows.map(({ task_id, end, ended }) => ({
    task_id,
    noticed: ended - end,
    noticedWhileUp: ended - end - away(end, ended),
  }))
  const again = rows.flatMap(({ end, next }) => (next === null ? [] : [next - end])).toSorted((a, b) => a - b)
  const seconds = (time = 0) => `${(time / 1_000).toFixed(2)} s`
  report.figure('leases lost', rows.length)
  report.figure(
    'queued again',
    `${seconds(Math.max(0, ...waits.map(({ noticed }) => noticed)))} after the lease's end at most, ${seconds(Math.max(0, ...waits.map(({ noticedWhileUp }) => noticedWhileUp)))} without outages of the product`,
    '≤ 15 s + 2 s',
  )
  report.figure(
    'leased again',
    `${seconds(again[Math.floor(again.length / 2)])} after it in the middle, ${seconds(again.at(-1))} at most; ${again.filter((time) => time <= RECOVERY_MS).length} of ${again.length} within 17 s`,
  )
  const late = waits.filter(({ noticedWhileUp }) => noticedWhileUp > RECOVERY_MS)
  report.check('every lost lease was recovered from within 15 s + 2 s of its end', late.length === 0, late)
  return rows.length
}
