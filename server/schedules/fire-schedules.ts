/**
 * Fires what has come due of every active agent's schedule ([schedules#how-it-works]).
 *
 * A schedule is decided up to `decided_to`; the latest slot since then, and since the agent last changed its state, fires once, however
 * many were missed. A new or changed schedule begins now. Slots of the time in which an agent was paused, failing or archived never fire.
 */
import sql from 'sql-template-tag'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { triggersOf } from '#server/agents/agent-file.ts'
import { latestSlot, type Schedule, scheduleFault } from '#server/agents/cron-slots.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import { ledgerNow } from '#server/runs/finish-run.ts'
import { type FireParts, fireSlot } from './fire-slot.ts'

/** `now` is the ledger's clock unless a test brings its own. */
export type ScheduleParts = FireParts & { now?: () => Promise<Date> }

type Scheduled = Row<'agent', 'slug' | 'definition'> & {
  cron: string | null
  zone: string | null
  decided_to: Date | null
  /** When the agent last changed its state. */
  since: Date | null
}

/** Returns how many slots fired. */
export async function fireSchedules(parts: ScheduleParts): Promise<number> {
  const now = await (parts.now?.() ?? ledgerNow(parts.db))
  const { rows } =
    await parts.db.query<Scheduled>(sql`SELECT a.slug, a.definition, s.cron, s.zone, s.decided_to,
      (SELECT max(e.ts) FROM event e WHERE e.resource_type = 'agent' AND e.resource_id = a.slug
        AND e.outcome = 'ok' AND e.transition IS NOT NULL) AS since
    FROM agent a LEFT JOIN agent_schedule s ON s.agent_slug = a.slug
    WHERE a.status = ${state(agentMachine, 'active')} AND a.definition #>> '{triggers,cron}' IS NOT NULL`)
  let fired = 0
  for (const row of rows) {
    const { cron, zone } = triggersOf(row.definition)
    if (cron === null || scheduleFault({ cron, zone })) continue
    if (await fireLatest(parts, row, { cron, zone }, now)) fired++
  }
  return fired
}

async function fireLatest(
  parts: ScheduleParts,
  { slug, since, ...known }: Scheduled,
  schedule: Schedule,
  now: Date,
): Promise<boolean> {
  if (!known.decided_to || known.cron !== schedule.cron || known.zone !== schedule.zone) {
    await begin(parts.db, slug, schedule, now)
    return false
  }
  const after = since && since > known.decided_to ? since : known.decided_to
  const due = latestSlot(schedule, after, now)
  if (!due) return false
  const slot = `cron:${due.toISOString()}`
  const outcome = await fireSlot(parts, { slug, slot, trigger: 'cron', chain: [], params: {} })
  // After the slot: a process that dies in between finds the slot decided and only moves on.
  await parts.db.query(sql`UPDATE agent_schedule SET decided_to = greatest(decided_to, ${due})
    WHERE agent_slug = ${slug} AND cron = ${schedule.cron} AND zone = ${schedule.zone}`)
  return outcome === 'fired'
}

const begin = (db: Db, slug: string, { cron, zone }: Schedule, now: Date) =>
  db.query(sql`INSERT INTO agent_schedule AS s (agent_slug, cron, zone, decided_to) VALUES (${slug}, ${cron}, ${zone}, ${now})
    ON CONFLICT (agent_slug) DO UPDATE SET cron = excluded.cron, zone = excluded.zone, decided_to = excluded.decided_to
    WHERE s.cron <> excluded.cron OR s.zone <> excluded.zone`)
