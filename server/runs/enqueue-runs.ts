/**
 * Starts the queued runs that may run [runs#R3]; the order: [runs#queue].
 *
 * One transaction under one advisory lock, so that among several processes one decides and the limit `RUNS_MAX_RUNNING` holds exactly; the lane
 * `run:<agent>` is held by a unique index.
 *
 * Order: the head of each agent's queue (priority, then age); among the heads priority, then the agent that started longest ago, so that
 * no agent starves another. A parked run that was answered goes before the queue of its agent (park-run.ts). A run that waits says why (`wait_reason`, the blocker, its position in the queue).
 */
import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { LEASE_SECONDS } from '#domain/job/job.rules.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { QUEUED } from '#domain/run/run.rules.ts'
import { fromNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import { transition } from '#server/ledger/transition.ts'
import { RELEASABLE } from './park-run.ts'
import { QUEUE_LOCK } from './queue-lock.ts'
import type { ClaimedRun } from './run-leases.ts'
import type { RunParts } from './run-parts.ts'
import { worked } from './run-row.ts'

const IN_QUEUED = state(runMachine, QUEUED)

export type Enqueued = { started: ClaimedRun[]; changed: string[] }
type Parts = Pick<RunParts, 'db' | 'store' | 'holder' | 'env'>

/** Starts at most `limit` runs, which this process then holds. `changed` names queued runs whose wait reason changed. */
export async function enqueueRuns(parts: Parts, limit: number): Promise<Enqueued> {
  if (!(await hasWaiting(parts.db))) return { started: [], changed: [] }
  const storeAnswers = await parts.store.head('status.json').then(
    () => true,
    () => false,
  )
  return parts.db.transaction(async (tx) => {
    await tx.query(QUEUE_LOCK)
    const started = storeAnswers && limit > 0 ? await startEligible(tx, parts, limit) : []
    const explained = await updateWaitReasons(tx)
    return { started, changed: explained }
  })
}

async function hasWaiting(db: Db): Promise<boolean> {
  const { rows } = await db.query(sql`SELECT 1 FROM run WHERE status = ${IN_QUEUED} LIMIT 1`)
  return rows.length > 0
}

async function startEligible(tx: Db, { holder, env }: Parts, limit: number): Promise<ClaimedRun[]> {
  const { rows } = await tx.query<Row<'run', 'run_id'>>(sql`WITH heads AS (
      SELECT DISTINCT ON (q.agent_slug) q.run_id, q.agent_slug, q.priority, q.requested_at FROM run q
      WHERE q.status = ${IN_QUEUED} AND NOT EXISTS (SELECT 1 FROM run r WHERE r.agent_slug = q.agent_slug AND ${worked('r')})
        AND NOT EXISTS (SELECT 1 FROM run p WHERE p.agent_slug = q.agent_slug AND ${RELEASABLE})
      ORDER BY q.agent_slug, (q.priority = 'high') DESC, q.requested_at, q.run_id)
    SELECT h.run_id FROM heads h
    ORDER BY (h.priority = 'high') DESC, (SELECT max(p.started_at) FROM run p WHERE p.agent_slug = h.agent_slug) NULLS FIRST, h.requested_at, h.run_id
    LIMIT least(${limit}::int, greatest(0, ${env.RUNS_MAX_RUNNING}::int - (SELECT count(*)::int FROM run r WHERE ${worked('r')})))`)
  if (rows.length === 0) return []
  return transition(tx, {
    machine: 'run',
    event: 'start',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.run_id = ANY(${rows.map((r) => r.run_id)}::text[])`,
    set: sql`fence = t.fence + 1, lease_holder = ${holder}, lease_expires_at = ${fromNow(LEASE_SECONDS)},
      started_at = clock_timestamp(), attempt = 1, wait_reason = NULL, wait_blocker = NULL, totals = t.totals - 'queue_position',
      agent_version = (SELECT a.version FROM agent a WHERE a.slug = t.agent_slug), revision = t.revision + 1`,
    details: sql`jsonb_build_object('fence', m.fence)`,
    returning: ['run_id', 'fence'],
  })
}

/** Writes why each queued run waits, behind which run and at which position; only real changes are written. */
async function updateWaitReasons(tx: Db): Promise<string[]> {
  const { rows } = await tx.query<Row<'run', 'run_id'>>(sql`WITH waiting AS (
      SELECT q.run_id, row_number() OVER lane AS place, first_value(q.run_id) OVER lane AS head,
        (SELECT r.run_id FROM run r WHERE r.agent_slug = q.agent_slug AND ${worked('r')}) AS busy
      FROM run q WHERE q.status = ${IN_QUEUED}
      WINDOW lane AS (PARTITION BY q.agent_slug ORDER BY (q.priority = 'high') DESC, q.requested_at, q.run_id)
    ), explained AS (
      SELECT w.run_id, w.place, CASE WHEN w.busy IS NOT NULL OR w.place > 1 THEN 'agent_busy' ELSE 'global_limit' END AS reason,
        coalesce(w.busy, CASE WHEN w.place > 1 THEN w.head END) AS blocker
      FROM waiting w)
    UPDATE run t SET wait_reason = explained.reason, wait_blocker = explained.blocker, revision = t.revision + 1, updated_at = clock_timestamp(),
      totals = t.totals || jsonb_build_object('queue_position', explained.place)
    FROM explained WHERE t.run_id = explained.run_id AND t.status = ${IN_QUEUED}
      AND (t.wait_reason, t.wait_blocker, (t.totals ->> 'queue_position')::bigint) IS DISTINCT FROM (explained.reason, explained.blocker, explained.place)
    RETURNING t.run_id`)
  return rows.map((r) => r.run_id)
}
