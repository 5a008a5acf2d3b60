import sql, { type Sql } from 'sql-template-tag'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { type AgentSchedule, cronOf } from '#server/ports/orchestration.ts'

/** When the agent last changed its state. */
export const lastChangeOf = (slug: Sql): Sql => sql`(SELECT max(e.ts) FROM event e
  WHERE e.resource_type = 'agent' AND e.resource_id = ${slug} AND e.outcome = 'ok' AND e.transition IS NOT NULL)`

/**
 * Replaces the schedule of the agent. A new or changed one begins now. One that is switched off is decided up to now; it stays so when its
 * agent changed its state since, for it begins with that.
 */
export async function saveSchedule(
  { db, now }: { db: Db; now?: () => Promise<Date> },
  schedule: AgentSchedule,
): Promise<void> {
  const { agent_slug } = schedule
  if (schedule.cron === null) {
    await db.query(sql`DELETE FROM agent_schedule WHERE agent_slug = ${agent_slug}`)
    return
  }
  const { enabled } = schedule
  const { cron, zone } = cronOf(schedule.cron)
  const begins = await (now?.() ?? ledgerNow(db))
  await db.query(sql`INSERT INTO agent_schedule AS s (agent_slug, cron, zone, enabled, decided_to)
    VALUES (${agent_slug}, ${cron}, ${zone}, ${enabled}, ${begins})
    ON CONFLICT (agent_slug) DO UPDATE SET cron = excluded.cron, zone = excluded.zone, enabled = excluded.enabled,
      decided_to = CASE WHEN excluded.enabled AND (s.cron, s.zone) = (excluded.cron, excluded.zone)
        AND ${lastChangeOf(sql`s.agent_slug`)} > s.decided_to THEN s.decided_to ELSE excluded.decided_to END
    WHERE (s.cron, s.zone, s.enabled) <> (excluded.cron, excluded.zone, excluded.enabled)`)
}
