/** What an owner asks of the agent of a worker over the console, with a real agent on the other side. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type WholeGateway, wholeGateway } from '#server/http/testing/whole-gateway.ts'
import { nodeCallKey } from '#server/keys/node-call-key.ts'
import { agentHealthOf, commandAgent } from '#server/runtime/command-agent.ts'
import { addWorker, joinNode } from '#server/runtime/testing/runtime-room.ts'
import { runAgentProcess } from '../testing/agent-process.ts'
import { makeNodeHome } from '../testing/node-home.ts'

const OWNER = { role: 'owner', identity: 'owner', via: 'console' } as const
let whole: WholeGateway
beforeAll(async () => {
  whole = await wholeGateway()
})
afterAll(() => whole?.close())

async function startWorker(name: string, env: Record<string, string> = {}) {
  const { services } = whole
  const agent = await runAgentProcess(makeNodeHome(), {
    ...{ MEMBRIDGE_NODE_ID: name, MEMBRIDGE_AGENT_KEY: nodeCallKey(services.env.MEMBRIDGE_AGENT_KEY, name) },
    ...env,
  })
  await joinNode(services.db, name)
  const id = await addWorker(services.db, name, { url: agent.url })
  const ask = (command: 'restart' | 'update' | 'uninstall') =>
    commandAgent(services, { workerId: id, command, reason: 'asked by a test' }, OWNER)
  return { agent, id, ask }
}

test('its health comes whole under its own key', async () => {
  const { id, agent } = await startWorker('orange')
  const before = await whole.services.db.query(
    sql`SELECT last_heartbeat_at FROM worker_node WHERE worker_id = ${id}`,
  )
  expect(await agentHealthOf(whole.services, id)).toMatchObject({
    value: { reachable: true, service: 'membridge-agent', node_id: 'orange', allow_process_control: false },
  })
  await agent.stop('SIGKILL')
  expect(await agentHealthOf(whole.services, id)).toMatchObject({ value: { reachable: false } })
  const after = await whole.services.db.query(
    sql`SELECT last_heartbeat_at FROM worker_node WHERE worker_id = ${id}`,
  )
  expect(after.rows).toEqual(before.rows)
})

test('is refused where the node does not allow it', async () => {
  const { ask } = await startWorker('rpi')
  for (const command of ['restart', 'update', 'uninstall'] as const)
    expect(await ask(command)).toMatchObject({
      refusal: { code: 'FORBIDDEN', message: expect.stringContaining('MEMBRIDGE_ALLOW_PROCESS_CONTROL=1') },
    })
})

test('says what to do on the node where the agent cannot do it', async () => {
  const { ask } = await startWorker('alpine', { MEMBRIDGE_ALLOW_PROCESS_CONTROL: '1' })
  const said = [
    ['restart', 'restart it on the node'],
    ['update', 'unpack the new archive'],
    ['uninstall', 'stop and disable its service'],
  ] as const
  for (const [command, words] of said)
    expect(await ask(command)).toMatchObject({
      refusal: { code: 'UPSTREAM_UNAVAILABLE', message: expect.stringContaining(words) },
    })
})

test('is only said where the agent runs dry', async () => {
  const { ask } = await startWorker('dry', {
    MEMBRIDGE_ALLOW_PROCESS_CONTROL: '1',
    MEMBRIDGE_AGENT_DRYRUN: '1',
  })
  expect(await ask('restart')).toMatchObject({ value: { ok: true, dryrun: true } })
})
