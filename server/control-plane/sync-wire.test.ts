/** The wire of syncs: two clients that share nothing with the server, and an agent that answers as today's do, or fails. */

import { expect, onTestFinished, test } from 'vitest'
import { lacking } from '#server/launch/testing/lacking.ts'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { runTestAgent } from '#server/membridge/testing/run-agent.ts'
import { ADMIN_KEY, controlPlaneEnv, runControlPlane } from './testing/control-plane-process.ts'
import { agentUrls, ITEMS, itemCases, syncCases } from './testing/sync-cases.ts'
import { sendCases } from './testing/wire-cases.ts'
import { sendTo } from './testing/wire-client.ts'
import { isInstalled, WIRE_CLIENTS } from './testing/wire-clients.ts'

const AGENT_KEY = controlPlaneEnv({}).MEMBRIDGE_AGENT_KEY as string

async function freshInstance() {
  const database = await createTestDatabase()
  const [plane, node] = await Promise.all([
    runControlPlane({ DATABASE_URL: database.controlPlaneUrl }),
    runTestAgent(),
  ])
  onTestFinished(async () => {
    await Promise.all([plane.stop(), node.stop()])
    await database.drop()
  })
  await sendTo(plane.url, 'POST /projects', { body: { name: 'mem' } })
  for (const [name, url] of Object.entries(agentUrls(node.url)))
    await sendTo(plane.url, 'POST /agents', { body: { name, url } })
  return { plane, node }
}

const withoutRequest = (text: string) => text.replace(/"request_id":"case \d+"/, '"request_id":"<r>"')
const comparable = (text: string) =>
  withoutRequest(text)
    .replace(/"id":"[0-9a-f]{16}"/, '"id":"<id>"')
    .replaceAll(/(_at":)[\d.]+/g, '$1<t>')

test.for(WIRE_CLIENTS)('$tool runs syncs, and finds them among the jobs', async (client, context) => {
  if (!isInstalled(client.tool)) lacking(context, client.tool)
  const { plane, node } = await freshInstance()
  const cases = syncCases(node.url)
  const { got, wanted, texts } = await sendCases(client, plane.url, cases)
  expect(got).toEqual(wanted)

  const called = await node.seen()
  expect(called[0]).toEqual({
    at: 'POST /ok/sync/push',
    key: AGENT_KEY,
    id: expect.stringMatching(/^case \d+$/),
    body: { project: 'mem', no_restart_worker: true },
  })
  // The redirect leads there: had it been followed, there would be two.
  expect(called.filter(({ at }) => at === 'POST /ok/sync/push')).toHaveLength(1)
  expect(called.map(({ at }) => at)).toContain('POST /ok/sync/pull')

  const list = await sendTo(plane.url, 'GET /jobs')
  const items = list.json as Record<string, unknown>[]
  expect(items).toHaveLength(15)
  for (const [agent, wantedItem] of Object.entries(ITEMS)) {
    const found = items.findLast((one) => one.agent === agent)
    expect(comparable(JSON.stringify(found))).toBe(wantedItem)
  }
  const { job_id } = JSON.parse(texts[cases.findIndex(({ name }) => name === 'ok')] as string)
  const second = await sendCases(client, plane.url, itemCases(job_id, ITEMS.ok as string))
  expect(second.got.map((one) => ({ ...one, answer: withoutRequest(one.answer) }))).toEqual(second.wanted)

  const log = plane.output()
  for (const secret of [ADMIN_KEY, AGENT_KEY]) {
    expect(log).not.toContain(secret)
    expect(list.text).not.toContain(secret)
  }
  expect(plane.lines().filter(({ level }) => level === 'ERROR')).toEqual([])
})
