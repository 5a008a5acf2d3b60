/**
 * Brings the alerts in line with the facts ([alerts#evaluation]): one look, one transaction, one worker at a time.
 *
 * The look, the transitions with their events and the messages commit together. A worker that finds another one at it does nothing, since
 * facts read before the other's commit could open what it has just closed. Even without that lock nothing would open twice: the unique index
 * of standing alerts and the guards of the transitions hold by themselves.
 */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { type Decision, decide, type Reading } from '#domain/alert/alert.rules.ts'
import { SCHEDULER } from '#domain/authority/caller.ts'
import { alertId } from '#domain/kernel/ids.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import { create } from '#server/ledger/create.ts'
import type { Db } from '#server/ledger/database.ts'
import { transition } from '#server/ledger/transition.ts'
import type { Services } from '#server/services.ts'
import { usedShare } from '#server/system/disk-space.ts'
import { type AlertRow, IS_STANDING, standingAlerts } from './alert-row.ts'
import { requestDeliveries } from './delivery/request-deliveries.ts'
import type { FactParts } from './facts/fact-parts.ts'
import { readFacts } from './facts/read-facts.ts'

type Parts = Pick<Services, 'db' | 'env'> & Partial<Pick<FactParts, 'usedShare'>>
type Look = { tx: Db; env: Services['env']; now: Date }

/** Returns how many alerts opened, escalated or closed; null when another worker is at it. `now` is the database's clock by default. */
export function evaluateAlerts(parts: Parts, moment?: Date): Promise<number | null> {
  const { db, env } = parts
  return db.transaction(async (tx) => {
    if (!(await isMine(tx))) return null
    const now = moment ?? (await ledgerNow(tx))
    const standing = await standingAlerts(tx)
    const share = parts.usedShare ?? (() => usedShare(env.BLOOM_HOME))
    const facts = await readFacts({ db: tx, env, now, standing, usedShare: share })
    let changed = 0
    for (const decision of decide(standing, facts))
      if (await carryOut({ tx, env, now }, decision)) changed += 1
    return changed
  })
}

async function isMine(tx: Db): Promise<boolean> {
  const { rows } = await tx.query<{ mine: boolean }>(
    sql`SELECT pg_try_advisory_xact_lock(hashtextextended('alerts', 0)) AS mine`,
  )
  return rows[0]?.mine ?? false
}

/** True when something changed that is told: not for a newer reading. */
async function carryOut(look: Look, decision: Decision): Promise<boolean> {
  if (decision.kind === 'update') {
    await noteReading(look, decision.alert.alert_id, decision.reading)
    return false
  }
  const row = await STEPS[decision.kind](look, decision as never)
  if (row) await requestDeliveries(look, row, MESSAGE_OF[decision.kind])
  return row !== null
}

const MESSAGE_OF = { open: 'opened', escalate: 'escalated', close: 'closed' } as const

type Of<K extends Decision['kind']> = Extract<Decision, { kind: K }>
const STEPS: {
  [K in 'open' | 'escalate' | 'close']: (look: Look, decision: Of<K>) => Promise<AlertRow | null>
} = {
  open: ({ tx, now }, { rule, severity, reading }) =>
    create(tx, {
      machine: 'alert',
      actor: SCHEDULER,
      values: {
        alert_id: alertId(randomUUID()),
        ...{ rule, severity, resource: reading.resource, opened_at: now, read_at: now },
        ...{ condition: reading.condition, value: reading.value, samples: reading.samples ?? null },
      },
      details: EVENT_DETAILS,
    }),
  escalate: async ({ tx, now }, { alert, severity, reading }) =>
    first(
      await transition<AlertRow>(tx, {
        machine: 'alert',
        event: 'escalate',
        actor: SCHEDULER,
        where: sql`o.alert_id = ${alert.alert_id}`,
        set: sql`severity = ${severity}, escalated_at = ${now}, acknowledged_at = NULL, acknowledged_by = NULL, note = NULL, ${readingAs(reading, now)}`,
        details: EVENT_DETAILS,
      }),
    ),
  close: async ({ tx, now }, { alert, reading }) =>
    first(
      await transition<AlertRow>(tx, {
        machine: 'alert',
        event: 'close',
        actor: SCHEDULER,
        where: sql`o.alert_id = ${alert.alert_id}`,
        set: reading ? sql`closed_at = ${now}, ${readingAs(reading, now)}` : sql`closed_at = ${now}`,
        details: EVENT_DETAILS,
      }),
    ),
}

/** What the event of the changed row `m` says of it. */
const EVENT_DETAILS = sql`jsonb_build_object('rule', m.rule, 'resource', m.resource, 'severity', m.severity, 'condition', m.condition, 'value', m.value)`

const readingAs = ({ condition, value, samples }: Reading, now: Date) =>
  sql`condition = ${condition}, value = ${value}, samples = ${samples ?? null}, read_at = ${now}`

/** A newer reading is no change of state and no event: the console shows it with the next poll. */
async function noteReading({ tx, now }: Look, id: string, reading: Reading): Promise<void> {
  await tx.query(
    sql`UPDATE alert SET ${readingAs(reading, now)}, updated_at = clock_timestamp() WHERE alert_id = ${id} AND status IN ${IS_STANDING}`,
  )
}

const first = (rows: AlertRow[]): AlertRow | null => rows[0] ?? null
