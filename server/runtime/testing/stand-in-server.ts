/** Another machine over real HTTP: answers as a test says, and keeps what it was asked. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = { at: string; headers: IncomingHttpHeaders; body: string }
export type Said = { status?: number; body?: unknown; headers?: Record<string, string> }
type Behaviour = (received: Received) => Said | Promise<Said>

export type StandIn = {
  url: string
  received: Received[]
  behave(behaviour: Behaviour): void
  close(): Promise<void>
}

export async function standIn(first: Behaviour = () => ({ status: 404 })): Promise<StandIn> {
  let behaviour = first
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method, url, headers } = request
    const asked = { at: `${method} ${url}`, headers, body: Buffer.concat(chunks).toString() }
    received.push(asked)
    const { status = 200, body = {}, headers: more = {} } = await behaviour(asked)
    response.writeHead(status, { 'content-type': 'application/json', ...more })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    behave: (next) => {
      behaviour = next
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** A control plane that takes this key. */
export const controlPlane =
  (key: string) =>
  ({ at, headers }: Received): Said => {
    if (at === 'GET /health') return { body: HEALTH }
    return headers['x-membridge-admin'] === key
      ? { body: [] }
      : { status: 401, body: { detail: 'Unauthorized' } }
  }

const HEALTH = {
  ...{ status: 'ok', service: 'membridge-control-plane', version: '0.4.0', projects: 2, agents: 3 },
  ...{ store: 'ok', database: 'ok', build_secret: 'never shown' },
}
