/**
 * Where the control plane may call a node [membridge#calls-to-nodes]. Nodes live in private networks, which the guard of outbound requests
 * refuses otherwise; here they are let in on purpose, and the rest stays out: link-local addresses (where clouds keep their credentials),
 * multicast, reserved ones. This machine is reached by its own name or address alone, never through another name.
 */
import { isIP } from 'node:net'
import { addressList, mayConnect } from '#server/outbound/address-rules.ts'

/** Private and overlay networks, where registered names may lead. */
export const NODE_NETWORKS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']
const LOOPBACK = ['127.0.0.0/8', '::1']

const callable = addressList([...NODE_NETWORKS, ...LOOPBACK])
const ownMachine = addressList(LOOPBACK)

export const NOT_CALLABLE =
  'Its address is link-local, multicast or reserved, where no node is called. Register another address.'
export const IN_CLEAR =
  'Its address is plain HTTP outside this machine, and a key must not cross a network unencrypted. Register an https address, or set ALLOW_INSECURE_LAN=1.'

const FAULTS = { not_callable: NOT_CALLABLE, in_clear: IN_CLEAR } as const

/** What keeps a key from being sent to this address, or null. A name is judged again when it is resolved. */
export function addressFaultKind(
  url: string,
  env: { ALLOW_INSECURE_LAN: boolean },
): keyof typeof FAULTS | null {
  const { protocol, hostname } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) && !mayConnect(host, callable)) return 'not_callable'
  const encrypted = protocol === 'https:' || isOwnMachine(host)
  return encrypted || env.ALLOW_INSECURE_LAN ? null : 'in_clear'
}

/** Why the agent at this registered address is not called, or null. */
export function addressFault(url: string, env: { ALLOW_INSECURE_LAN: boolean }): string | null {
  const kind = addressFaultKind(url, env)
  return kind && FAULTS[kind]
}

const isOwnMachine = (host: string): boolean =>
  host === 'localhost' || ownMachine.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4')
