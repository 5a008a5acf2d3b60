/**
 * Keys that cross a network unencrypted are refused [auth#machine-keys]: anybody on the way could have read one.
 *
 * A request is safe when it comes from this machine itself (a loopback peer that calls a loopback host, and no word of a proxy), or over a configured proxy that says it ended TLS. Everything else counts as
 * plain HTTP, since this process speaks nothing else: a client on the network, a proxy that took the request in clear, and one nobody
 * configured, though it runs beside us. Whoever sets ALLOW_INSECURE_LAN=1 takes the risk for the whole instance, which the console shows.
 */
import { isIPv4 } from 'node:net'
import type { Refusal } from '#domain/kernel/errors.ts'
import type { Env } from '#server/env.ts'
import { HANDED_ON_HEADER, peerAddress, saysForwarded } from './request-facts.ts'

const IN_CLEAR: Refusal = {
  code: 'FORBIDDEN',
  message:
    'A key is only accepted over TLS. Call through a proxy that is named in TRUSTED_PROXIES and sends X-Forwarded-Proto, or set ALLOW_INSECURE_LAN=1.',
}

/** Why a key of this request is not even looked at, or null. */
export function keyInClear(
  headers: Headers,
  env: Pick<Env, 'ALLOW_INSECURE_LAN' | 'TRUSTED_PROXIES'>,
): Refusal | null {
  if (env.ALLOW_INSECURE_LAN) return null
  if (!isForwarded(headers)) return isOfThisMachine(headers) ? null : IN_CLEAR
  const peer = peerAddress(headers)
  return env.TRUSTED_PROXIES.includes(peer) && isOverTls(headers) ? null : IN_CLEAR
}

/**
 * Whether a request was made on this machine, to this machine: its peer is loopback, nobody handed it on, and the host it names is loopback,
 * which a page that had its own name point here cannot pretend.
 */
export const isOfThisMachine = (headers: Headers): boolean =>
  isLoopback(peerAddress(headers)) && !isForwarded(headers) && isLoopbackName(headers.get('host') ?? '')

const isForwarded = (headers: Headers): boolean => {
  const stamped = headers.get(HANDED_ON_HEADER)
  return stamped === null ? saysForwarded((name) => headers.has(name)) : stamped !== '0'
}

const isLoopbackName = (host: string): boolean => {
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase()
  return name === 'localhost' || isLoopback(name.replace(/^\[(.*)\]$/, '$1'))
}

/** Every hop says so: proxies in a row may append, and the first word may be the client's. */
function isOverTls(headers: Headers): boolean {
  const hops = (headers.get('x-forwarded-proto') ?? '').split(',').map((hop) => hop.trim().toLowerCase())
  return hops.every((hop) => hop === 'https')
}

const isLoopback = (address: string): boolean =>
  address === '::1' || (isIPv4(address) && address.startsWith('127.'))
