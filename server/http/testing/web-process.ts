/**
 * A web process without the framework: REST over HTTP on a free port, and the product's own end. Started by tests with the environment of a
 * web process; says `ready <port>` on standard output.
 */
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { webServices } from '#server/composition/web-services.ts'
import { createApp } from '../app.ts'
import { stampPeerAddresses } from '../peer-address.ts'
import { stopOnSignals } from '../stop-web.ts'

stampPeerAddresses()
stopOnSignals()
const server = serve({ fetch: createApp(webServices).fetch, port: 0, hostname: '127.0.0.1' }, () =>
  process.stdout.write(`ready ${(server.address() as AddressInfo).port}\n`),
)
