/**
 * Fires what has come due of every enabled schedule ([schedules#how-it-works]): the timer of the built-in engine.
 *
 * A schedule is decided up to `decided_to`; the latest slot since then, and since the agent last changed its state, fires once, however
 * many were missed. Slots of the time in which an agent was paused, failing or archived never fire.
 */
import sql from 'sql-template-tag'
import { latestSlot, scheduleFault } from '#server/agents/cron-slots.ts'
import type { Row } from '#server/ledger/rows.ts'
import { ledgerNow } from '#server/runs/finish-run.ts'
import { type FireParts, fireSlot } from './fire-slot.ts'
import { lastChangeOf } from './save-schedule.ts'

/** `now` is the ledger's clock unless a test brings its own. */
export type ScheduleParts = FireParts & { now?: () => Promise<Date> }

type Scheduled = Row<'agent_schedule', 'agent_slug' | 'cron' | 'zone' | 'decided_to'> & {
  /** When the agent last changed its state. */
  since: Date | null
}

/** Returns how many slots fired. */
export async function fireSchedules(parts: ScheduleParts): Promise<number> {
  const now = await (parts.now?.() ?? ledgerNow(parts.db))
  const { rows } = await parts.db.query<Scheduled>(sql`SELECT s.agent_slug, s.cron, s.zone, s.decided_to,
      ${lastChangeOf(sql`s.agent_slug`)} AS since
    FROM agent_schedule s WHERE s.enabled ORDER BY s.agent_slug`)
  let fired = 0
  for (const row of rows) if (!scheduleFault(row) && (await fireLatest(parts, row, now))) fired++
  return fired
}

async function fireLatest(parts: ScheduleParts, known: Scheduled, now: Date): Promise<boolean> {
  const { agent_slug: slug, cron, zone, decided_to, since } = known
  const due = latestSlot({ cron, zone }, since && since > decided_to ? since : decided_to, now)
  if (!due) return false
  const slot = `cron:${due.toISOString()}`
  const outcome = await fireSlot(parts, { slug, slot, trigger: 'cron', chain: [], params: {} })
  // After the slot: a process that dies in between finds the slot decided and only moves on.
  await parts.db.query(sql`UPDATE agent_schedule SET decided_to = greatest(decided_to, ${due})
    WHERE agent_slug = ${slug} AND cron = ${cron} AND zone = ${zone}`)
  return outcome === 'fired'
}
