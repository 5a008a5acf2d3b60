/** How a node that runs tasks leaves, asked once and asked again: over HTTP, with real processes. */
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { runAgentProcess } from '../testing/agent-process.ts'
import type { NodeHome } from '../testing/home-folder.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { isAlive, openTaskRoom, pidIn, type TaskRoom } from '../testing/task-room.ts'

let room: TaskRoom
beforeAll(async () => {
  room = await openTaskRoom()
})
afterAll(() => room?.close())
beforeEach(() => room.clearLimits())
afterEach(() => room.stopNodes())

const OFFLINE = { what: 'the node to be offline', timeoutMs: 20_000 }
const isOffline = async (name: string) => {
  const { rows } = await room.whole.services.db.query<{ gone: boolean }>(
    sql`SELECT offline_at IS NOT NULL AS gone FROM worker_node WHERE name = ${name}`,
  )
  return rows[0]?.gone === true
}

test.each([
  ['a node', (home: NodeHome, MEMBRIDGE_NODE_ID: string) => room.start(home, [], { MEMBRIDGE_NODE_ID })],
  [
    'an agent',
    (home: NodeHome, MEMBRIDGE_NODE_ID: string) =>
      runAgentProcess(home, { ...room.own, MEMBRIDGE_WORK: 'pull', MEMBRIDGE_NODE_ID }),
  ],
])('%s that is asked to stop is offline at once, while what runs comes to its end', async (kind, start) => {
  const home = makeNodeHome()
  const name = `leaving-${kind.replace(' ', '-')}`
  const id = await room.addTask(`after ${home.path('go')}`)
  const node = await start(home, name)
  await waitUntil(async () => (await room.task(id)).status === 'running', { what: 'the task to run' })
  const ended = node.stop('SIGTERM')
  await waitUntil(() => isOffline(name), OFFLINE)
  expect((await room.task(id)).status).toBe('running')
  home.write('go', '')
  expect(await ended).toBe(0)
  expect(await room.task(id)).toMatchObject({ status: 'completed', result: { output: 'after all' } })
})

test('a node that is asked again stops what runs, and reports that before it ends', async () => {
  const home = makeNodeHome()
  const file = home.path('child.pid')
  const id = await room.addTask(`slow ${file}`, { max_attempts: 1 })
  const node = room.start(home, [], { MEMBRIDGE_NODE_ID: 'in-a-hurry' })
  const pid = await pidIn(file)
  const ended = node.stop()
  await waitUntil(() => isOffline('in-a-hurry'), OFFLINE)
  // Signals that come together are one; the next one is another.
  await waitUntil(() => {
    void node.stop()
    return !isAlive(pid)
  })
  expect(await ended).toBe(0)
  expect(await room.task(id)).toMatchObject({
    ...{ status: 'dead', error_code: 'provider_error', last_error: 'The node was stopped.' },
  })
})
