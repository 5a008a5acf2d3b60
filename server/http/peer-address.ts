import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { PEER_HEADER } from '#server/auth/request-facts.ts'

/**
 * Stamps every request of this process with the address of its socket, before the framework sees it: the framework hands on
 * headers only, and would take a client's word for its address. Whatever a client sends in that header is replaced.
 */
export function stampPeerAddresses(): void {
  subscribe('http.server.request.start', (message) => {
    const { request, socket } = message as { request: IncomingMessage; socket: Socket }
    request.headers[PEER_HEADER] = socket.remoteAddress ?? 'unknown'
  })
}
