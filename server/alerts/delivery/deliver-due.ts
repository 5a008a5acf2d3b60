/**
 * Sends the messages that are due ([alerts#delivery]). An attempt is claimed under a new fence, for a minute; what became of it is written
 * under that fence. A process that dies in between leaves the message to the next claim, so a receiver may get it twice, with the same id.
 * The messages of one alert go out in their order: a later one waits until the earlier one has ended.
 */
import sql from 'sql-template-tag'
import type { AlertMessage } from '#contracts/alert.contract.ts'
import { deliveryMachine } from '#domain/alert/delivery.machine.ts'
import {
  ATTEMPT_SECONDS,
  type Channel,
  type Message,
  nextAttempt,
  type Outcome,
} from '#domain/alert/delivery.rules.ts'
import { SCHEDULER } from '#domain/authority/caller.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import { transition } from '#server/ledger/transition.ts'
import { count } from '#server/metrics/meter.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    alert_delivery: { channel: Channel; message: Message; body: AlertMessage }
  }
}

/** Sends one message; throws only what nobody foresaw. */
export type Send = (delivery: Claimed, now: Date) => Promise<Outcome>
/** The channels that this process can reach. */
export type Senders = Partial<Record<Channel, Send>>

const BATCH = 16
const PENDING = state(deliveryMachine, 'pending')
const CLAIMED = ['delivery_id', 'channel', 'body', 'attempts', 'fence', 'created_at'] as const
export type Claimed = Row<'alert_delivery', (typeof CLAIMED)[number]>

type Parts = Pick<Services, 'db' | 'log'> & { senders: Senders }

/** Returns how many attempts were made. `moment` is the database's clock by default. */
export async function deliverDue({ db, log, senders }: Parts, moment?: Date): Promise<number> {
  const now = moment ?? (await ledgerNow(db))
  const claimed = await claim(db, now)
  await Promise.all(
    claimed.map(async (delivery) => {
      const outcome = await attempt(senders, delivery, now)
      if (outcome.kind !== 'delivered')
        log.warn(
          { channel: delivery.channel, delivery: delivery.delivery_id },
          `alert not sent: ${outcome.message}`,
        )
      const ended = await endAttempt(db, delivery, outcome, now)
      // Attempts are counted, whoever has taken the message over meanwhile; without a sender there was none.
      if (delivery.channel === 'webhook' && senders.webhook)
        count('garden_webhook_deliveries_total', { outcome: ended })
    }),
  )
  return claimed.length
}

const claim = (db: Db, now: Date): Promise<Claimed[]> =>
  transition(db, {
    machine: 'alert_delivery',
    event: 'attempt',
    actor: SCHEDULER,
    where: sql`o.next_attempt_at <= ${now} AND NOT EXISTS (SELECT 1 FROM alert_delivery p WHERE p.alert_id = o.alert_id AND p.channel = o.channel
      AND p.status = ${PENDING} AND p.created_at < o.created_at)`,
    batch: { order: sql`o.next_attempt_at, o.delivery_id`, limit: BATCH },
    set: sql`attempts = t.attempts + 1, fence = t.fence + 1, next_attempt_at = ${now}::timestamptz + make_interval(secs => ${ATTEMPT_SECONDS})`,
    returning: CLAIMED,
  })

async function attempt(senders: Senders, delivery: Claimed, now: Date): Promise<Outcome> {
  const send = senders[delivery.channel]
  if (!send) return { kind: 'refused', message: 'This channel is not configured.' }
  try {
    return await send(delivery, now)
  } catch (error) {
    return { kind: 'later', message: error instanceof Error ? error.message : 'An unexpected error.' }
  }
}

async function endAttempt(
  db: Db,
  delivery: Claimed,
  outcome: Outcome,
  now: Date,
): Promise<'delivered' | 'retry' | 'failed'> {
  const { delivery_id, fence, attempts, created_at } = delivery
  const own = sql`o.delivery_id = ${delivery_id} AND o.fence = ${fence}`
  const end = { machine: 'alert_delivery', actor: SCHEDULER, where: own, returning: ['delivery_id'] } as const
  if (outcome.kind === 'delivered') {
    await transition(db, { ...end, event: 'deliver', set: sql`ended_at = ${now}, last_error = NULL` })
    return 'delivered'
  }
  const why = redactText(outcome.message).slice(0, 500)
  const ageSeconds = (now.getTime() - created_at.getTime()) / 1_000
  const pause = nextAttempt(outcome, { attempts, ageSeconds })
  if (pause === null) {
    await transition(db, { ...end, event: 'fail', set: sql`ended_at = ${now}, last_error = ${why}` })
    return 'failed'
  }
  await db.query(sql`UPDATE alert_delivery o SET next_attempt_at = ${now}::timestamptz + make_interval(secs => ${pause}), last_error = ${why},
    updated_at = clock_timestamp() WHERE ${own} AND o.status = ${PENDING}`)
  return 'retry'
}
