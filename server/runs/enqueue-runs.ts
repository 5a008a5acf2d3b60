/**
 * R2 and R3 of contract page 03: takes requested runs into the queue and starts those that may run.
 *
 * One transaction under one advisory lock, so that of several processes one decides and "ten in all" holds exactly; the lane
 * `run:<agent>` is held by a unique index, whoever decides. Every look takes all runs left in `requested`, which is also the
 * sweep after a crash between the 202 and the queue (page 11, R6); a run that waited longer than 10 s is marked as swept.
 *
 * Order: the head of each agent's queue (priority, then age); among the heads priority, then the agent that started longest
 * ago, so that no agent starves another. Who stays back is told why (`wait_reason`, the blocker, the place in the queue).
 */
import sql, { type Sql } from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { LEASE_SECONDS } from '#domain/job/job.rules.ts'
import { MAX_RUNNING } from '#domain/run/step.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { move } from '#server/ledger/move.ts'
import type { RunParts } from './run-parts.ts'
import { QUEUED, REQUESTED, RUNNING, type RunRow } from './run-row.ts'

const LOCK: Sql = sql`SELECT pg_advisory_xact_lock(hashtext('run.enqueue'))`
const SWEPT_AFTER_SECONDS = 10
const BATCH = 200

export type Enqueued = { started: RunRow[]; changed: string[] }
type Parts = Pick<RunParts, 'db' | 'database' | 'store' | 'holder'>

/** Accepts and starts; `room` is how many more runs this process takes. `changed` names runs whose status moved. */
export async function enqueueRuns(parts: Parts, room: number): Promise<Enqueued> {
  if (!(await anybodyWaits(parts.db))) return { started: [], changed: [] }
  const storeAnswers = await parts.store.head('status.json').then(
    () => true,
    () => false,
  )
  return parts.database.transaction(async (tx) => {
    await tx.query(LOCK)
    const accepted = await acceptRequested(tx)
    const started = storeAnswers && room > 0 ? await startHeads(tx, parts.holder, room) : []
    const told = await tellWaiting(tx)
    return { started, changed: [...new Set([...accepted, ...told])] }
  })
}

async function anybodyWaits(db: Db): Promise<boolean> {
  const { rows } = await db.query(
    sql`SELECT 1 FROM run WHERE status = ${REQUESTED} UNION ALL SELECT 1 FROM run WHERE status = ${QUEUED} LIMIT 1`,
  )
  return rows.length > 0
}

async function acceptRequested(tx: Db): Promise<string[]> {
  const rows = await move<RunRow>(tx, {
    machine: 'run',
    event: 'accept',
    actor: ORCHESTRATION_LAYER,
    where: sql`true`,
    set: sql`queued_at = clock_timestamp(), revision = t.revision + 1`,
    batch: { order: sql`o.requested_at, o.run_id`, limit: BATCH },
    details: sql`jsonb_build_object('swept', m.queued_at - m.requested_at > make_interval(secs => ${SWEPT_AFTER_SECONDS}))`,
    returning: sql`m.run_id`,
  })
  return rows.map((r) => r.run_id)
}

async function startHeads(tx: Db, holder: string, room: number): Promise<RunRow[]> {
  const { rows } = await tx.query<{ run_id: string }>(sql`WITH heads AS (
      SELECT DISTINCT ON (q.agent_slug) q.run_id, q.agent_slug, q.priority, q.requested_at FROM run q
      WHERE q.status = ${QUEUED} AND NOT EXISTS (SELECT 1 FROM run r WHERE r.agent_slug = q.agent_slug AND r.status = ${RUNNING})
      ORDER BY q.agent_slug, (q.priority = 'high') DESC, q.requested_at, q.run_id)
    SELECT h.run_id FROM heads h
    ORDER BY (h.priority = 'high') DESC, (SELECT max(p.started_at) FROM run p WHERE p.agent_slug = h.agent_slug) NULLS FIRST, h.requested_at, h.run_id
    LIMIT least(${room}::int, greatest(0, ${MAX_RUNNING}::int - (SELECT count(*)::int FROM run WHERE status = ${RUNNING})))`)
  if (rows.length === 0) return []
  return move<RunRow>(tx, {
    machine: 'run',
    event: 'start',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.run_id = ANY(${rows.map((r) => r.run_id)}::text[])`,
    set: sql`fence = t.fence + 1, lease_holder = ${holder}, lease_expires_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}),
      started_at = clock_timestamp(), attempt = 1, wait_reason = NULL, wait_blocker = NULL, totals = t.totals - 'queue_position',
      agent_version = (SELECT a.version FROM agent a WHERE a.slug = t.agent_slug), revision = t.revision + 1`,
    details: sql`jsonb_build_object('fence', m.fence)`,
  })
}

/** Says of every queued run why it waits, behind whom and at which place; only real changes are written. */
async function tellWaiting(tx: Db): Promise<string[]> {
  const { rows } = await tx.query<{ run_id: string }>(sql`WITH waiting AS (
      SELECT q.run_id, row_number() OVER lane AS place, first_value(q.run_id) OVER lane AS head,
        (SELECT r.run_id FROM run r WHERE r.agent_slug = q.agent_slug AND r.status = ${RUNNING}) AS busy
      FROM run q WHERE q.status = ${QUEUED}
      WINDOW lane AS (PARTITION BY q.agent_slug ORDER BY (q.priority = 'high') DESC, q.requested_at, q.run_id)
    ), told AS (
      SELECT w.run_id, w.place, CASE WHEN w.busy IS NOT NULL OR w.place > 1 THEN 'agent_busy' ELSE 'global_limit' END AS reason,
        coalesce(w.busy, CASE WHEN w.place > 1 THEN w.head END) AS blocker
      FROM waiting w)
    UPDATE run t SET wait_reason = told.reason, wait_blocker = told.blocker, revision = t.revision + 1, updated_at = clock_timestamp(),
      totals = t.totals || jsonb_build_object('queue_position', told.place)
    FROM told WHERE t.run_id = told.run_id
      AND (t.wait_reason, t.wait_blocker, (t.totals ->> 'queue_position')::bigint) IS DISTINCT FROM (told.reason, told.blocker, told.place)
    RETURNING t.run_id`)
  return rows.map((r) => r.run_id)
}
