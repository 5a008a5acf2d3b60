/** What a push tells the control plane: by the key and in the words of the agent, which would be contradicted otherwise. */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { nodeBeat } from '../agent/node-beat.ts'
import { NODE_KEY } from '../testing/join-values.ts'
import { CID, KEYS, makeFolderStore, makeSyncNode, objectJson } from '../testing/sync-kit.ts'

async function openServer() {
  const asked: { headers: http.IncomingHttpHeaders; body: Record<string, unknown> }[] = []
  const server = http.createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    asked.push({ headers: request.headers, body: JSON.parse(text) })
    response.end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked }
}

test("counts and digest go under the node's own key, with all that the agent tells", async () => {
  const { store, settings } = await makeFolderStore()
  const { url, asked } = await openServer()
  const node = makeSyncNode(settings, 'a', { rows: 4 })
  const keys = { MEMBRIDGE_NODE_KEY: NODE_KEY, MEMBRIDGE_ADMIN_KEY: 'admin', MEMBRIDGE_AGENT_KEY: 'agent' }
  const env = { ...keys, MEMBRIDGE_SERVER_URL: url, LEADERSHIP_ENABLED: '0' }
  expect((await node.run(['push'], { env })).exitCode).toBe(0)
  const { sha256 } = await objectJson(store, KEYS.pointer)
  expect(asked).toHaveLength(1)
  expect(asked[0]?.headers).toMatchObject({ 'x-membridge-agent': NODE_KEY })
  expect(asked[0]?.headers).not.toHaveProperty('x-membridge-admin')
  expect(asked[0]?.body).toEqual({
    ...nodeBeat(
      { nodeId: 'a', leadershipEnabled: false },
      { canonical_id: CID, project_id: 'mem' },
      { obs_count: 4, db_sha: sha256 },
    ),
    last_seen: expect.any(Number),
  })
})

test('without a key that is for this, nothing is sent', async () => {
  const { settings } = await makeFolderStore()
  const { url, asked } = await openServer()
  const env = { MEMBRIDGE_SERVER_URL: url, MEMBRIDGE_AGENT_KEY: 'agent' }
  expect((await makeSyncNode(settings).run(['push'], { env })).exitCode).toBe(0)
  expect(asked).toEqual([])
})
