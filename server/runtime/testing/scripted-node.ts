/** A node that does what a test says, over real HTTP; and the surface of the runtime on a real port, for nodes that report. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import type { Hono } from 'hono'

export type Execution = { task_id: string; prompt: string; runtime_url: string; desired_format: string }
export type NodeAnswer = { status?: number; body?: unknown; headers?: Record<string, string> } | 'never'
type Behaviour = (execution: Execution, request: IncomingMessage) => Promise<NodeAnswer> | NodeAnswer

export type ScriptedNode = {
  url: string
  received: { execution: Execution; headers: IncomingMessage['headers'] }[]
  behave(behaviour: Behaviour): void
  close(): Promise<void>
}

export async function scriptedNode(): Promise<ScriptedNode> {
  let behaviour: Behaviour = () => ({ status: 503 })
  const received: ScriptedNode['received'] = []
  const open = new Set<ServerResponse>()
  const server = createServer(async (request, response) => {
    open.add(response)
    response.once('close', () => open.delete(response))
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const execution = JSON.parse(Buffer.concat(chunks).toString()) as Execution
    received.push({ execution, headers: request.headers })
    const answer = await behaviour(execution, request)
    if (answer === 'never') return
    const { status = 200, body = {}, headers = {} } = answer
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
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
        for (const response of open) response.destroy()
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** The gateway's application on a port of its own. */
export async function onPort(app: Hono): Promise<{ url: string; close(): Promise<void> }> {
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
      resolve({
        url: `http://127.0.0.1:${port}`,
        close: () =>
          new Promise<void>((closed) => {
            server.close(() => closed())
            if ('closeAllConnections' in server) server.closeAllConnections()
          }),
      }),
    )
  })
}
