/**
 * Sends the messages that are due ([push#delivery]). An attempt is claimed under a new fence, for a minute; what became of it is written under
 * that fence. A process that dies in between leaves the message to the next claim: a device may get it twice, under one tag, and shows it once.
 */
import sql from 'sql-template-tag'
import { ATTEMPT_SECONDS, nextAttempt } from '#domain/alert/delivery.rules.ts'
import { SCHEDULER } from '#domain/authority/caller.ts'
import type { PushLanguage } from '#domain/push/push.rules.ts'
import { pushMessageMachine } from '#domain/push/push-message.machine.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { state } from '#server/ledger/states.ts'
import { transition } from '#server/ledger/transition.ts'
import { removeDevices } from '#server/push-devices/remove-devices.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { type Claimed, findWaiting, type Reader } from './find-waiting.ts'
import { pushText } from './push-text.ts'
import type { Device, PushOutcome, SendPush } from './send-push.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    push_subscription: { language: PushLanguage }
  }
}

type Parts = Pick<Services, 'db' | 'log'> & { send: SendPush }
type Ended = PushOutcome | { kind: 'dropped' }

const BATCH = 16
const PENDING = state(pushMessageMachine, 'pending')

/** Returns how many attempts were made. `moment` is the database's clock by default. */
export async function deliverPushes({ db, log, send }: Parts, moment?: Date): Promise<number> {
  const now = moment ?? (await ledgerNow(db))
  const claimed = await claim(db, now)
  await Promise.all(
    claimed.map(async (message) => {
      const outcome = await attempt({ db, log, send }, message, now)
      if (outcome.kind === 'later' || outcome.kind === 'refused')
        log.warn({ message: message.message_id }, `notification not sent: ${outcome.message}`)
      await endAttempt(db, message, outcome, now)
    }),
  )
  return claimed.length
}

const claim = (db: Db, now: Date): Promise<Claimed[]> =>
  transition(db, {
    machine: 'push_message',
    event: 'attempt',
    actor: SCHEDULER,
    where: sql`o.next_attempt_at <= ${now}`,
    batch: { order: sql`o.next_attempt_at, o.message_id`, limit: BATCH },
    set: sql`attempts = t.attempts + 1, fence = t.fence + 1, next_attempt_at = ${now}::timestamptz + make_interval(secs => ${ATTEMPT_SECONDS})`,
    returning: [
      ...(['message_id', 'account_id', 'subscription_id', 'topic', 'subjects'] as const),
      ...(['attempts', 'fence', 'created_at'] as const),
    ],
  })

async function attempt({ db, send }: Parts, message: Claimed, now: Date): Promise<Ended> {
  try {
    const device = await deviceOf(db, message)
    const waiting = device && (await findWaiting(db, message, device))
    if (!device || !waiting) return { kind: 'dropped' }
    return await send(device, pushText(message.topic, waiting, device.language), now)
  } catch (error) {
    return { kind: 'later', message: error instanceof Error ? error.message : 'An unexpected error.' }
  }
}

/** The device while it is the account's, and the account may be used. */
async function deviceOf(
  db: Db,
  { subscription_id, account_id }: Claimed,
): Promise<(Device & Reader) | undefined> {
  const { rows } = await db.query<
    Device & Reader
  >(sql`SELECT a.role, p.subscription_id, p.endpoint, p.p256dh, p.auth, p.language
    FROM push_subscription p JOIN account a ON a.account_id = p.account_id
    WHERE p.subscription_id = ${subscription_id} AND p.account_id = ${account_id} AND a.disabled_at IS NULL`)
  return rows[0]
}

async function endAttempt(db: Db, message: Claimed, outcome: Ended, now: Date): Promise<void> {
  const { message_id, fence, subscription_id } = message
  const own = sql`o.message_id = ${message_id} AND o.fence = ${fence}`
  const end = (event: 'deliver' | 'drop' | 'fail', why: string | null) =>
    transition(db, {
      ...{ machine: 'push_message', event, actor: SCHEDULER, where: own, returning: ['message_id'] },
      set: sql`ended_at = ${now}, last_error = ${why}`,
    } as const)
  if (outcome.kind === 'dropped') return void (await end('drop', null))
  if (outcome.kind === 'delivered') {
    await end('deliver', null)
    await noteOn(db, subscription_id, sql`last_sent_at = ${now}, last_error = NULL`)
    return
  }
  const why = redactText(outcome.message).slice(0, 500)
  if (outcome.kind === 'gone') {
    await end('fail', why)
    const device = sql`p.subscription_id = ${subscription_id}`
    await removeDevices(db, device, { actor: SCHEDULER, because: 'gone' })
    return
  }
  await noteOn(db, subscription_id, sql`last_error = ${why}`)
  const ageSeconds = (now.getTime() - message.created_at.getTime()) / 1_000
  const pause = nextAttempt(outcome, { attempts: message.attempts, ageSeconds })
  if (pause === null) return void (await end('fail', why))
  await db.query(sql`UPDATE push_message o SET next_attempt_at = ${now}::timestamptz + make_interval(secs => ${pause}), last_error = ${why},
    updated_at = clock_timestamp() WHERE ${own} AND o.status = ${PENDING}`)
}

const noteOn = (db: Db, id: string, set: ReturnType<typeof sql>) =>
  db.query(sql`UPDATE push_subscription SET ${set} WHERE subscription_id = ${id}`)
