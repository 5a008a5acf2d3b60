import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIPv4 } from 'node:net'
import type { Settings } from '../config/settings.ts'
import { AgentRefusal } from './agent-refusal.ts'

/**
 * Who may call the agent [edge#access].
 *
 * The key of this node opens everything. It is taken over plain HTTP from this machine alone, or over a proxy of `TRUSTED_PROXIES` that says it
 * ended TLS, or from anywhere once ALLOW_INSECURE_LAN=1. What this machine's own programs may do without it (register a project) is asked strictly:
 * a loopback peer proves little, since a proxy beside us and a page in a browser have one, too.
 */
export type Access = 'open' | 'key' | 'key or this machine'
export type AccessSettings = Pick<Settings, 'MEMBRIDGE_AGENT_KEY' | 'ALLOW_INSECURE_LAN' | 'TRUSTED_PROXIES'>
/** What of a request decides who sent it. */
export type Origin = {
  method: string
  /** Address that the request came from. */
  peer: string
  /** Address of this machine that it came to. */
  local: string
  headers: IncomingHttpHeaders
}

export const KEY_HEADER = 'x-membridge-agent'

const UNAUTHORIZED = 'Unauthorized — invalid or missing X-MEMBRIDGE-AGENT header'
const NO_KEY_HERE =
  'MEMBRIDGE_AGENT_KEY not configured on agent: set it in config.env or the environment and restart the agent'
const IN_CLEAR =
  'A key is only accepted over TLS. Call through a proxy that TRUSTED_PROXIES of this node names and that sends X-Forwarded-Proto, or set ALLOW_INSECURE_LAN=1 on this node.'

/** Throws `AgentRefusal` unless the caller may have what asks for this access. */
export function admit(origin: Origin, access: Access, settings: AccessSettings): void {
  const presented = origin.headers[KEY_HEADER]
  if (presented !== undefined && isInClear(origin, settings)) throw new AgentRefusal(403, IN_CLEAR)
  if (access === 'open' || (access === 'key or this machine' && isOfThisMachine(origin))) return
  const withoutKey = access === 'key or this machine' && presented === undefined
  if (!settings.MEMBRIDGE_AGENT_KEY && !withoutKey) throw new AgentRefusal(500, NO_KEY_HERE)
  if (!hasKey(origin, settings)) throw new AgentRefusal(401, UNAUTHORIZED)
}

/** Whether the request carries this node's key. */
export function hasKey({ headers }: Origin, { MEMBRIDGE_AGENT_KEY }: AccessSettings): boolean {
  const presented = headers[KEY_HEADER]
  if (!MEMBRIDGE_AGENT_KEY || typeof presented !== 'string') return false
  return timingSafeEqual(digest(presented), digest(MEMBRIDGE_AGENT_KEY))
}

const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest()

/**
 * Whether a program of this machine asks: loopback peer, a loopback name as `Host` (which a page that had its own name point here cannot
 * pretend), nobody in between, and a body that a page may not send without being asked first.
 */
export function isOfThisMachine(origin: Origin): boolean {
  const { method, headers } = origin
  if (!isLoopback(origin.peer) || !isLoopbackHost(headers.host) || isForwarded(headers)) return false
  return method !== 'POST' || mediaTypeOf(headers) === 'application/json'
}

/** A peer with the address that it calls is a program of this machine; so its key never was on a wire. */
function isInClear({ peer, local, headers }: Origin, settings: AccessSettings): boolean {
  if (settings.ALLOW_INSECURE_LAN) return false
  if (!isForwarded(headers))
    return isLoopback(peer) ? !isLoopbackHost(headers.host) : peer === '' || peer !== local
  return !(settings.TRUSTED_PROXIES.includes(plain(peer)) && isOverTls(headers))
}

const FORWARDED = /^(?:x-forwarded-.*|forwarded|x-real-ip|via)$/
const isForwarded = (headers: IncomingHttpHeaders): boolean =>
  Object.keys(headers).some((name) => FORWARDED.test(name))

/** Every hop says so: proxies in a row may append, and the first word may be the client's. */
const isOverTls = (headers: IncomingHttpHeaders): boolean =>
  [headers['x-forwarded-proto'] ?? '']
    .flat()
    .join()
    .split(',')
    .every((hop) => hop.trim().toLowerCase() === 'https')

const plain = (peer: string): string => peer.replace(/^::ffff:/, '')

export const isLoopback = (peer: string): boolean => {
  const address = plain(peer)
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'))
}

const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i
const isLoopbackHost = (host: string | undefined): boolean => LOOPBACK_HOST.test(host ?? '')

export const mediaTypeOf = (headers: IncomingHttpHeaders): string =>
  (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
