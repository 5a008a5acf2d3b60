import { randomUUID } from 'node:crypto'

/** What the gateway knows of a request before anybody is identified. Bodies are not part of it. */
export type RequestFacts = {
  method: string
  /** The template for logs and audit (`POST /api/v1/jobs/{id}/cancel`, `trpc jobs.cancel`), never the raw address. */
  endpoint: string
  headers: Headers
  /** Host of the request, for the same-origin rule. */
  host: string
  address: string
  correlationId: string
}

/** Stamped by `server/http/peer-address.ts` on every request from its socket; whatever a client sends there is replaced. */
export const PEER_HEADER = 'x-garden-peer'

/** Stamped in the same way: whether somebody handed the request on (`1`), before the framework adds words of a proxy to every request. */
export const HANDED_ON_HEADER = 'x-garden-handed-on'

/** By any of these a request was handed on by somebody. */
const FORWARDED = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-real-ip',
  'via',
]

/** Whether a request carries the words of a proxy. */
export const saysForwarded = (has: (name: string) => boolean): boolean => FORWARDED.some(has)

/** The header that carries the id of one request both ways, which ids of a client are kept, and how one is made for the others. */
export type RequestIds = { header: string; accepts: RegExp; make: () => string }

export const CORRELATION_IDS: RequestIds = {
  header: 'x-correlation-id',
  accepts: /^[A-Za-z0-9._:-]{1,128}$/,
  make: randomUUID,
}

export function factsOf(
  request: Request,
  endpoint: string,
  wire: { trustedProxies?: readonly string[]; ids?: RequestIds } = {},
): RequestFacts {
  const { trustedProxies = [], ids = CORRELATION_IDS } = wire
  const given = request.headers.get(ids.header) ?? ''
  return {
    method: request.method,
    endpoint,
    headers: request.headers,
    host: request.headers.get('host') ?? new URL(request.url).host,
    address: clientAddress(request.headers, trustedProxies),
    correlationId: ids.accepts.test(given) ? given : ids.make(),
  }
}

/**
 * The client's address: the socket's, or the last forwarded one that no configured proxy wrote, when the socket is a
 * configured proxy, since a client may forward any address it likes.
 */
export function clientAddress(headers: Headers, trustedProxies: readonly string[]): string {
  const peer = peerAddress(headers)
  if (!trustedProxies.includes(peer)) return peer
  const hops = (headers.get('x-forwarded-for') ?? '').split(',').map((hop) => normal(hop.trim()))
  return hops.reverse().find((hop) => hop !== '' && !trustedProxies.includes(hop)) ?? peer
}

/** The address of the socket. */
export const peerAddress = (headers: Headers): string => normal(headers.get(PEER_HEADER) ?? 'unknown')

const normal = (address: string): string => address.replace(/^::ffff:/, '').slice(0, 64)
