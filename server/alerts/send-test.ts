import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Services } from '#server/services.ts'
import { requestDeliveries } from './delivery/request-deliveries.ts'

/** Asks for a test message over every channel; a worker sends it like any other. Returns how many. */
export async function sendTest(
  { db, env }: Pick<Services, 'db' | 'env'>,
  caller: Caller,
): Promise<Result<{ requested: number }>> {
  const requested = await requestDeliveries({ tx: db, env, now: await ledgerNow(db) }, null, 'test', caller)
  if (requested > 0) return ok({ requested })
  return refuse({
    code: 'BAD_REQUEST',
    message: 'No channel is configured. Set ALERT_WEBHOOK_URL or SMTP_URL and restart.',
  })
}
