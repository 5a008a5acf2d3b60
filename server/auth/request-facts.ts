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

const CORRELATION = /^[A-Za-z0-9._:-]{1,128}$/

export function factsOf(
  request: Request,
  endpoint: string,
  trustedProxies: readonly string[] = [],
): RequestFacts {
  const given = request.headers.get('x-correlation-id') ?? ''
  return {
    method: request.method,
    endpoint,
    headers: request.headers,
    host: request.headers.get('host') ?? new URL(request.url).host,
    address: clientAddress(request.headers, trustedProxies),
    correlationId: CORRELATION.test(given) ? given : randomUUID(),
  }
}

/**
 * The client's address: the socket's, or the last forwarded one that no configured proxy wrote, when the socket is a
 * configured proxy, since a client may forward any address it likes.
 */
export function clientAddress(headers: Headers, trustedProxies: readonly string[]): string {
  const peer = normal(headers.get(PEER_HEADER) ?? 'unknown')
  if (!trustedProxies.includes(peer)) return peer
  const hops = (headers.get('x-forwarded-for') ?? '').split(',').map((hop) => normal(hop.trim()))
  return hops.reverse().find((hop) => hop !== '' && !trustedProxies.includes(hop)) ?? peer
}

const normal = (address: string): string => address.replace(/^::ffff:/, '').slice(0, 64)
