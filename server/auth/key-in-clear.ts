/**
 * Keys that cross a network unencrypted are refused [auth#machine-keys]: anybody on the way could have read one.
 *
 * A request is safe when it comes from this machine itself (a loopback peer, and no word of a proxy), or over a configured proxy that says it ended TLS. Everything else counts as
 * plain HTTP, since this process speaks nothing else: a client on the network, a proxy that took the request in clear, and one nobody
 * configured, though it runs beside us. Whoever sets ALLOW_INSECURE_LAN=1 takes the risk for the whole instance, which the console shows.
 */
import { isIPv4 } from 'node:net'
import type { Refusal } from '#domain/kernel/errors.ts'
import type { Env } from '#server/env.ts'
import { peerAddress } from './request-facts.ts'

const IN_CLEAR: Refusal = {
  code: 'FORBIDDEN',
  message:
    'A key is only accepted over TLS. Call through a proxy that is named in TRUSTED_PROXIES and sends X-Forwarded-Proto, or set ALLOW_INSECURE_LAN=1.',
}

/** By any of these a request was handed on by somebody. */
const FORWARDED = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-real-ip',
  'via',
]

/** Why a key of this request is not even looked at, or null. */
export function keyInClear(
  headers: Headers,
  env: Pick<Env, 'ALLOW_INSECURE_LAN' | 'TRUSTED_PROXIES'>,
): Refusal | null {
  if (env.ALLOW_INSECURE_LAN) return null
  const peer = peerAddress(headers)
  const forwarded = FORWARDED.some((name) => headers.has(name))
  if (!forwarded) return isLoopback(peer) ? null : IN_CLEAR
  return env.TRUSTED_PROXIES.includes(peer) && isOverTls(headers) ? null : IN_CLEAR
}

/** Every hop says so: proxies in a row may append, and the first word may be the client's. */
function isOverTls(headers: Headers): boolean {
  const hops = (headers.get('x-forwarded-proto') ?? '').split(',').map((hop) => hop.trim().toLowerCase())
  return hops.every((hop) => hop === 'https')
}

const isLoopback = (address: string): boolean =>
  address === '::1' || (isIPv4(address) && address.startsWith('127.'))
