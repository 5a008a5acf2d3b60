import { outcomeOfStatus } from '#domain/alert/delivery.rules.ts'
import { signBody } from '#server/outbound/callback-signature.ts'
import { createGuardedFetch, OutboundRefused, type OutboundRules } from '#server/outbound/guarded-fetch.ts'
import type { ChannelEnv } from './channels.ts'
import type { Send } from './deliver-due.ts'

const TIMEOUT_MS = 10_000

/**
 * Posts a message to the configured webhook, signed as Standard Webhooks has it. The id of the message is that of the delivery, with every
 * repeat; the time of the signature is the attempt's. The answer's status alone counts.
 */
export function webhookSender(
  { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret, ALERT_ADDRESSES: addresses }: ChannelEnv,
  rules: Pick<OutboundRules, 'lookup' | 'timeoutMs'> = {},
): { send: Send; close(): Promise<void> } | null {
  if (!url || !secret) return null
  const guard = createGuardedFetch({
    timeoutMs: TIMEOUT_MS,
    ...rules,
    origins: [new URL(url).origin],
    addresses,
  })
  const send: Send = async (delivery, now) => {
    const body = JSON.stringify(delivery.body)
    try {
      const headers = {
        'content-type': 'application/json',
        ...signBody(secret, delivery.delivery_id, now, body),
      }
      const answer = await guard.fetch(url, { method: 'POST', headers, body, statusOnly: true })
      return outcomeOfStatus(answer.status, secondsOf(answer.headers['retry-after'], now))
    } catch (error) {
      if (error instanceof OutboundRefused) return { kind: 'refused', message: error.message }
      throw error
    }
  }
  return { send, close: guard.close }
}

/** `Retry-After` as seconds from now: a number of them, or a date. */
export function secondsOf(header: string | undefined, now: Date): number | undefined {
  if (!header) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1_000))
}
