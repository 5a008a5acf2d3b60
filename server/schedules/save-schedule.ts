import sql from 'sql-template-tag'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { type AgentSchedule, cronOf } from '#server/ports/orchestration.ts'

/** Replaces the schedule of the agent: a new or changed one begins now, one that is switched on or off keeps what was decided. */
export async function saveSchedule(
  { db, now }: { db: Db; now?: () => Promise<Date> },
  { agent_slug, enabled, ...given }: AgentSchedule,
): Promise<void> {
  const { cron, zone } = cronOf(given.cron)
  const begins = await (now?.() ?? ledgerNow(db))
  await db.query(sql`INSERT INTO agent_schedule AS s (agent_slug, cron, zone, enabled, decided_to)
    VALUES (${agent_slug}, ${cron}, ${zone}, ${enabled}, ${begins})
    ON CONFLICT (agent_slug) DO UPDATE SET cron = excluded.cron, zone = excluded.zone, enabled = excluded.enabled,
      decided_to = CASE WHEN (s.cron, s.zone) = (excluded.cron, excluded.zone) THEN s.decided_to ELSE excluded.decided_to END
    WHERE (s.cron, s.zone, s.enabled) <> (excluded.cron, excluded.zone, excluded.enabled)`)
}
