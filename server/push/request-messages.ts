import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { type Caller, SCHEDULER } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { MessageTopic } from '#domain/push/push.rules.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import { create } from '#server/ledger/create.ts'
import type { Db } from '#server/ledger/database.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    push_message: { topic: MessageTopic }
  }
}

type About = { account_id: string; topic: MessageTopic; subjects: readonly string[]; now: Date }

/** Puts a message for a device into the outbox; part of the caller's transaction. */
export const requestMessage = (
  tx: Db,
  subscription_id: string,
  { account_id, topic, subjects, now }: About,
  actor: Caller = SCHEDULER,
) =>
  create(tx, {
    machine: 'push_message',
    actor,
    values: {
      ...{ message_id: randomUUID(), account_id, subscription_id, topic, subjects },
      ...{ created_at: now, next_attempt_at: now },
    },
  })

/** The same for every device of an account. Returns how many there are. */
export async function requestMessages(tx: Db, about: About): Promise<number> {
  const { rows } = await tx.query<{ subscription_id: string }>(
    sql`SELECT subscription_id FROM push_subscription WHERE account_id = ${about.account_id}`,
  )
  for (const { subscription_id } of rows) await requestMessage(tx, subscription_id, about)
  return rows.length
}

/** Asks for a test message to a device of the caller; a worker sends it like any other. */
export async function requestTest(
  { db }: { db: Db },
  { subscription_id }: { subscription_id: string },
  caller: Caller,
): Promise<Result<{ subscription_id: string }>> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.query<{ account_id: string }>(
      sql`SELECT account_id FROM push_subscription WHERE subscription_id = ${subscription_id} AND account_id = ${caller.accountId ?? null} FOR UPDATE`,
    )
    const [own] = rows
    if (!own) return refuse({ code: 'NOT_FOUND', message: 'There is no such device.' })
    const about = { ...own, topic: 'test', subjects: [], now: await ledgerNow(tx) } as const
    await requestMessage(tx, subscription_id, about, caller)
    return ok({ subscription_id })
  })
}
