/** Another machine over real HTTP: answers as a test says, and keeps what it was asked. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = { at: string; headers: IncomingHttpHeaders; body: string; hangUp(): void }
export type Said = { status?: number; body?: unknown; headers?: Record<string, string> } | 'never'
export type Behaviour<Asked = Received> = (asked: Asked) => Said | Promise<Said>

export type StandIn<Asked = Received> = {
  url: string
  received: Asked[]
  behave(behaviour: Behaviour<Asked>): void
  close(): Promise<void>
}

/** `read` says what of a request such a machine looks at. */
export async function standInFor<Asked>(
  first: Behaviour<Asked>,
  read: (received: Received) => Asked,
): Promise<StandIn<Asked>> {
  let behaviour = first
  const received: Asked[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method, url, headers } = request
    const body = Buffer.concat(chunks).toString()
    const asked = read({ at: `${method} ${url}`, headers, body, hangUp: () => request.socket.destroy() })
    received.push(asked)
    const said = await behaviour(asked)
    if (said === 'never') return
    const { status = 200, body: answer = {}, headers: more = {} } = said
    response.writeHead(status, { 'content-type': 'application/json', ...more })
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
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
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export const standIn = (first: Behaviour = () => ({ status: 404 })): Promise<StandIn> =>
  standInFor(first, (received) => received)

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
