import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { HANDED_ON_HEADER, PEER_HEADER, saysForwarded } from '#server/auth/request-facts.ts'
import { onceInProcess } from './once-in-process.ts'

/**
 * Stamps every request of this process with the address of its socket, and with whether it was handed on, before the framework sees it: the
 * framework hands on headers only, would take a client's word for its address, and adds words of a proxy itself. Whatever a client sends
 * in these headers is replaced, in the parsed headers and in the raw ones: some readers take the one, some the other.
 */
export function stampPeerAddresses(): void {
  onceInProcess('stamps', () => {
    subscribe('http.server.request.start', (message) => {
      const { request, socket } = message as { request: IncomingMessage; socket: Socket }
      const handedOn = saysForwarded((name) => request.headers[name] !== undefined)
      stamp(request, PEER_HEADER, socket.remoteAddress ?? 'unknown')
      stamp(request, HANDED_ON_HEADER, handedOn ? '1' : '0')
    })
  })
}

function stamp(request: IncomingMessage, name: string, value: string): void {
  const { rawHeaders } = request
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2)
    if (rawHeaders[i]?.toLowerCase() === name) rawHeaders.splice(i, 2)
  rawHeaders.push(name, value)
  request.headers[name] = value
}
