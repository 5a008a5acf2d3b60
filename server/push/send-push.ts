import webPush from 'web-push'
import { type Outcome, outcomeOfStatus } from '#domain/alert/delivery.rules.ts'
import { secondsOf } from '#server/alerts/delivery/send-webhook.ts'
import type { Env } from '#server/env.ts'
import type { Row } from '#server/ledger/rows.ts'
import { createGuardedFetch, OutboundRefused, type OutboundRules } from '#server/outbound/guarded-fetch.ts'
import { publicKeyOf } from '#server/push-devices/push-key.ts'
import type { PushPayload } from './push-text.ts'

const TIMEOUT_MS = 10_000
/** A push service keeps what a device that is off has not taken, for so long. */
const TTL_SECONDS = 12 * 3_600
const GONE: readonly number[] = [404, 410]

export type Device = Row<'push_subscription', 'subscription_id' | 'endpoint' | 'p256dh' | 'auth' | 'language'>
/** How an attempt ended; `gone`: the browser has dropped the subscription. */
export type PushOutcome = Outcome | { kind: 'gone'; message: string }
/** Sends one message; throws only what nobody foresaw. */
export type SendPush = (device: Device, payload: PushPayload, now: Date) => Promise<PushOutcome>
export type PushSender = { publicKey: string; send: SendPush; close(): Promise<void> }

/** Who is to be asked about our messages, as push services want it: https or mailto. */
const subjectOf = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? publicUrl : `mailto:garden-bloom@${new URL(publicUrl).hostname}`

/**
 * Sends messages as Web Push has it (RFC 8030, 8188, 8291, 8292): encrypted to the keys of the browser, signed with ours, over the guarded way
 * out ([outbound#guarded-fetch]). An address that a browser gave may be any public https one, and those of `PUSH_ORIGINS`.
 */
export function openPushSender(
  env: Pick<Env, 'PUSH_ORIGINS' | 'PUBLIC_URL'>,
  privateKey: string,
  rules: Pick<OutboundRules, 'lookup' | 'timeoutMs'> = {},
): PushSender {
  const publicKey = publicKeyOf(privateKey)
  // Apart, so that no name on the public way leads to an address that is listed for the other.
  const listed = createGuardedFetch({ timeoutMs: TIMEOUT_MS, ...rules, origins: env.PUSH_ORIGINS })
  const anywhere = createGuardedFetch({ timeoutMs: TIMEOUT_MS, ...rules, origins: [], anyHttps: true })
  const guardOf = (endpoint: string) => (listed.refusal(endpoint) === null ? listed : anywhere)
  const vapidDetails = { subject: subjectOf(env.PUBLIC_URL), publicKey, privateKey }
  const send: SendPush = async ({ endpoint, p256dh, auth }, payload, now) => {
    const request = webPush.generateRequestDetails(
      { endpoint, keys: { p256dh, auth } },
      JSON.stringify(payload),
      { vapidDetails, TTL: TTL_SECONDS, contentEncoding: 'aes128gcm', topic: payload.tag, urgency: 'normal' },
    )
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    try {
      const answer = await guardOf(endpoint).fetch(endpoint, {
        method: 'POST',
        headers,
        body: request.body,
        statusOnly: true,
      })
      return outcomeOf(answer.status, secondsOf(answer.headers['retry-after'], now))
    } catch (error) {
      if (error instanceof OutboundRefused) return { kind: 'refused', message: error.message }
      throw error
    }
  }
  const close = async () => {
    await Promise.all([listed.close(), anywhere.close()])
  }
  return { publicKey, send, close }
}

/** With `statusOnly` a redirect arrives as its status; it is refused like any other answer that is not one of success. */
function outcomeOf(status: number, retryAfter: number | undefined): PushOutcome {
  if (GONE.includes(status))
    return { kind: 'gone', message: 'The browser no longer takes messages of this device.' }
  if (status >= 300 && status < 400)
    return { kind: 'refused', message: `The push service answered ${status}.` }
  return outcomeOfStatus(status, retryAfter)
}
