import sql, { type Sql } from 'sql-template-tag'
import type { InboxDay, InboxDays } from '#contracts/inbox.contract.ts'
import { dayOf, startOfDay } from '#domain/kernel/days.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Decision, MetricName } from '#server/metrics/catalogue.ts'
import type { Step } from '#server/metrics/points.ts'

const DAYS = 30
const DAY_MS = 86_400_000
const STEP: Step = 900

const ARRIVED = 'garden_inbox_received_total' satisfies MetricName
const DECIDED = 'garden_proposal_decisions_total' satisfies MetricName

type Counted = { day: string; name: string; decision: Decision | null; n: number }

/**
 * What arrived and what was decided on each of the last 30 days (UTC), today included: read from what was counted when it happened, so the size of
 * the ledger does not matter. It follows the events by the few seconds in which they are sealed and counted.
 */
export async function inboxDays({ db }: { db: Db }, moment?: Date): Promise<InboxDays> {
  const now = moment ?? (await ledgerNow(db))
  const from = startOfDay(dayOf(now), 1 - DAYS) as Date
  const { rows } = await db.query<Counted>(daysStatement(from))
  const days = Array.from({ length: DAYS }, (_, n) => dayOf(new Date(from.getTime() + n * DAY_MS)))
  return {
    days: days.map((day) =>
      dayView(
        day,
        rows.filter((row) => row.day === day),
      ),
    ),
  }
}

/** What `inboxDays` reads; named for the test of its plan. */
export const daysStatement = (from: Date): Sql =>
  sql`SELECT to_char(p.at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, p.name, p.labels ->> 'decision' AS decision, sum(p.count)::float8 AS n
    FROM metric_point p WHERE p.step = ${STEP} AND p.name = ANY(${[ARRIVED, DECIDED]}::text[]) AND p.at >= ${from}
    GROUP BY 1, 2, 3`

function dayView(day: string, rows: readonly Counted[]): InboxDay {
  const decided = (decision: Decision) =>
    rows.reduce((sum, row) => (row.decision === decision ? sum + row.n : sum), 0)
  return {
    day,
    arrived: rows.find(({ name }) => name === ARRIVED)?.n ?? 0,
    approved: Math.max(0, decided('approved') + decided('auto_approved') - decided('undone')),
    rejected: decided('rejected'),
    expired: decided('expired'),
  }
}
