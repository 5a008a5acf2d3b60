/**
 * Counts sealed events into the totals: the position moves in the transaction that adds them, so each event counts once, whatever
 * process does it and wherever one is killed [metrics#events].
 */
import sql from 'sql-template-tag'
import { type JobEvent, jobMachine } from '#domain/job/job.machine.ts'
import type { ProposalEvent } from '#domain/proposal/proposal.machine.ts'
import type { TaskEvent } from '#domain/task/task.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { type EventFacts, OTHER, totalsOf } from './event-rules.ts'
import { TASK_ENDS } from './task-rules.ts'
import { addTotals } from './totals.ts'

export const COUNT_BATCH = 2_000

const REQUEUE = 'requeue' satisfies JobEvent & TaskEvent
const [CREATE, LEASE] = ['create', 'lease'] as const satisfies readonly TaskEvent[]
const PROPOSED = 'create' satisfies ProposalEvent
const COMPLETE = jobMachine.events.commit.to

/** Counts the next events; returns how many were passed: 0 when there are none, or another process is at it. */
export async function countEvents(db: Db, max = COUNT_BATCH): Promise<number> {
  return db.transaction(async (tx) => {
    await tx.query(sql`INSERT INTO metric_position DEFAULT VALUES ON CONFLICT DO NOTHING`)
    const { rows } = await tx.query<{ seq: number; head: number }>(
      sql`SELECT p.seq, h.seq AS head FROM metric_position p, event_head h FOR UPDATE OF p SKIP LOCKED`,
    )
    const [at] = rows
    if (!at || at.head <= at.seq) return 0
    const to = Math.min(at.head, at.seq + max)
    const events = await factsOf(tx, at.seq, to)
    await addTotals(tx, totalsOf(events, await knownAgents(tx)))
    await tx.query(sql`UPDATE metric_position SET seq = ${to}`)
    return to - at.seq
  })
}

/** The events behind `from` up to `to` that are counted; what their things are is looked up by their keys. */
async function factsOf(db: Db, from: number, to: number): Promise<EventFacts[]> {
  const { rows } =
    await db.query<EventFacts>(sql`SELECT date_trunc('minute', e.ts) AS at, e.resource_type, e.name, e.transition, e.from_status, e.to_status, e.error_code,
      extract(epoch FROM e.ts - before.ts)::float8 AS in_state,
      extract(epoch FROM e.ts - coalesce(r.requested_at, p.created_at, begun.ts, j.created_at))::float8 - coalesce(r.parked_ms, 0) / 1000.0 AS age,
      e.details ->> 'name' AS step, extract(epoch FROM s.finished_at - s.started_at)::float8 AS step_seconds,
      j.job_type, j.tenant, r.agent_slug, r.trigger, p.action, i.source_type, judged.rule_id AS rule, judged.mode AS rule_mode,
      e.resource_type = 'proposal' AND e.details ? 'superseded_by' AS superseded
    FROM event_seal q JOIN event e ON e.id = q.event
      LEFT JOIN job j ON j.job_id = CASE WHEN e.resource_type = 'job' THEN e.resource_id::uuid END
      LEFT JOIN run r ON e.resource_type = 'run' AND r.run_id = e.resource_id
      LEFT JOIN run_step s ON e.transition = 'step_done' AND s.run_id = r.run_id AND s.step = (e.details ->> 'step')::integer AND s.executed_by_run IS NULL
      LEFT JOIN proposal p ON e.resource_type = 'proposal' AND p.proposal_id = e.resource_id
      -- The first rule that matches ends the trace of a proposal.
      LEFT JOIN LATERAL jsonb_to_record(p.rule_trace -> -1) AS judged(rule_id text, mode text, matched boolean) ON e.transition = ${PROPOSED} AND judged.matched
      LEFT JOIN inbox_entry i ON e.resource_type = 'inbox' AND i.inbox_id = e.resource_id
      LEFT JOIN LATERAL (SELECT b.ts FROM event b WHERE b.resource_type = e.resource_type AND b.resource_id = e.resource_id
        AND b.id < e.id AND b.transition IS NOT NULL ORDER BY b.id DESC LIMIT 1) before ON e.resource_type = 'job' OR e.transition = 'applied'
          OR (e.resource_type = 'task' AND e.transition = ${LEASE})
      LEFT JOIN LATERAL (SELECT b.ts FROM event b WHERE b.resource_type = e.resource_type AND b.resource_id = e.resource_id
        AND b.id < e.id AND b.transition IN (${REQUEUE}, ${CREATE}) ORDER BY b.id DESC LIMIT 1) begun ON (j.requeue_count > 0 AND e.to_status = ${COMPLETE})
          OR (e.resource_type = 'task' AND e.transition = ANY(${[...TASK_ENDS]}::text[]))
    WHERE q.seq > ${from} AND q.seq <= ${to} AND e.resource_type IN ('job', 'run', 'proposal', 'inbox', 'task', 'lease')
      AND (e.transition IS NOT NULL OR e.outcome = 'refused')
    ORDER BY q.seq`)
  return rows
}

type Counted = Row<'metric_total', 'name'>['name']
const RUNS: Counted = 'garden_runs_total'

/** Agents that have a label already. */
async function knownAgents(db: Db): Promise<Set<string>> {
  const { rows } = await db.query<{ agent: string }>(
    sql`SELECT DISTINCT t.labels ->> 'agent' AS agent FROM metric_total t WHERE t.name = ${RUNS}`,
  )
  return new Set(rows.map(({ agent }) => agent).filter((agent) => agent !== OTHER))
}
