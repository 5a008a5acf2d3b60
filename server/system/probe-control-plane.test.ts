import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { ControlPlaneHealth } from '#contracts/control-plane.contract.ts'
import { probeControlPlane } from './probe-control-plane.ts'

const WELL: ControlPlaneHealth = {
  status: 'ok',
  service: 'membridge-control-plane',
  version: '1',
  projects: 0,
  agents: 0,
  store: 'ok',
  database: 'ok',
}

/** A server that answers every request with this body. */
async function answering(body: string, status = 200): Promise<string> {
  const server = http.createServer((_, answer) => answer.writeHead(status).end(body)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.each<[string, string, number, string, string | null]>([
  ['all is well', JSON.stringify(WELL), 200, 'healthy', null],
  [
    'its store is away',
    JSON.stringify({ ...WELL, store: 'failing' }),
    200,
    'degraded',
    'control_plane_store',
  ],
  [
    'its database is away',
    JSON.stringify({ ...WELL, status: 'unavailable', projects: null, agents: null, database: 'failing' }),
    503,
    'unavailable',
    'control_plane_ledger',
  ],
  ['somebody else answers', '{"status":"ok"}', 200, 'unavailable', 'control_plane_silent'],
  ['it answers nonsense', '<html>', 502, 'unavailable', 'control_plane_silent'],
])('%s', async (_, body, code, status, reason) => {
  const found = await probeControlPlane({ MEMBRIDGE_URL: await answering(body, code) })
  expect([found.status, found.message?.split(':')[0] ?? null]).toEqual([status, reason])
})

test('nobody answers', async () => {
  const found = await probeControlPlane({ MEMBRIDGE_URL: 'http://127.0.0.1:1' })
  expect(found).toMatchObject({
    status: 'unavailable',
    message: expect.stringMatching(/^control_plane_silent: /),
  })
})
