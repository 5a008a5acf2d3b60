/** A node that does what a test says, over real HTTP; and the surface of the runtime on a real port, for nodes that report. */
import { serve } from '@hono/node-server'
import type { Hono } from 'hono'
import { type Received, type StandIn, standInFor } from './stand-in-server.ts'

export type Execution = { task_id: string; prompt: string; runtime_url: string; desired_format: string }
export type ScriptedNode = StandIn<Received & { execution: Execution }>

export const scriptedNode = (): Promise<ScriptedNode> =>
  standInFor(
    () => ({ status: 503 }),
    (received) => ({ ...received, execution: JSON.parse(received.body) as Execution }),
  )

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
