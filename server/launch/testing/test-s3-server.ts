/**
 * One S3 server for a whole test run, started when the first test file asks for it: most runs need none, and a start costs
 * more than many a test. Each file uses buckets of its own, and nobody but the run stops the server.
 */

import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import type { S3Endpoint } from '../../../e2e/s3-server/ceph-cluster.ts'
import { startS3Server } from '../../../e2e/s3-server/start-s3-server.ts'

/** How the workers of a run find whom to ask: a port on the loopback. */
const PORT_VARIABLE = 'BLOOM_TEST_S3_PORT'

type Shared = S3Endpoint | { unavailable: string }

/** Answers every connection with the server, as one JSON value; `stop` ends the server if there is one. */
export async function offerTestS3Server(): Promise<{ stop: () => Promise<void> }> {
  let started: ReturnType<typeof startS3Server> | null = null
  const listener = createServer(async (socket) => {
    socket.on('error', () => undefined)
    started ??= startS3Server()
    // `stop` is no part of JSON.
    socket.end(JSON.stringify(await started))
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  process.env[PORT_VARIABLE] = String((listener.address() as AddressInfo).port)
  const stop = async () => {
    listener.close()
    const server = await started
    if (server && 'stop' in server) await server.stop()
  }
  return { stop }
}

/** The run's S3 server, or why there is none. */
export async function testS3Server(): Promise<Shared> {
  const port = Number(process.env[PORT_VARIABLE])
  return JSON.parse(await text(connect(port, '127.0.0.1'))) as Shared
}
