/** Whose word brings the key of a call to an address: the owner's with a password, the admin key's, and that of the node's own key. Nobody else's. */
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { registerAgentRequest } from '#contracts/membridge.contract.ts'
import { type WorkerView, workerView } from '#contracts/worker.contract.ts'
import { nodeCallKey } from '#server/keys/node-call-key.ts'
import { registerAgent } from '#server/membridge/register-agent.ts'
import { correctAddress } from '#server/runtime/manage-worker.ts'
import { mergeWorkers } from '#server/runtime/merge-workers.ts'
import { joinNode, OWNER } from '#server/runtime/testing/runtime-room.ts'
import { type StandIn, standIn } from '#server/runtime/testing/stand-in-server.ts'
import { createApp } from './app.ts'
import { OF_THIS_MACHINE } from './testing/gateway.ts'
import { JSON_TYPE, openRuntimeWire, R, type RuntimeWire, workerName } from './testing/runtime-wire.ts'

const WORKER_KEY = 'w'.repeat(43)
const SAYS_NOBODY = { status: 409, code: 'NODE_NOT_CALLABLE' }
let wire: RuntimeWire
let app: ReturnType<typeof createApp>
let mine: StandIn
let name: string
beforeAll(async () => {
  wire = await openRuntimeWire()
  const env = { ...wire.whole.services.env, BLOOM_WORKER_KEY: WORKER_KEY }
  app = createApp(async () => ({ ...wire.whole.services, env }))
})
afterAll(() => wire?.close())
beforeEach(async () => {
  await wire.forgetRequests()
  mine = await standIn(() => ({ body: { ok: true, output: 'Spring.' } }))
  name = workerName()
})
afterEach(() => mine.close())

type Headers = Record<string, string>
const shared = (): Headers => ({ ...wire.machine, 'x-runtime-api-key': WORKER_KEY })

async function register(headers: Headers, url: string | null = mine.url): Promise<WorkerView> {
  const body = JSON.stringify({ name, url, capabilities: { max_concurrency: 4 } })
  const answer = await app.request(`${R}/workers`, { method: 'POST', headers, body })
  return workerView.parse(await answer.json())
}
async function join(): Promise<Headers> {
  const key = await joinNode(wire.whole.services.db, name)
  return { ...OF_THIS_MACHINE, ...JSON_TYPE, 'x-membridge-agent': key }
}
/** The key under which a task came to the address, or what was answered instead. */
async function keyAt({ id }: { id: string }) {
  const task = await wire.addTask()
  const { status, code } = await wire.call(`POST ${R}/llm-tasks/${task.id}/dispatch`, { worker_id: id })
  const key = mine.received.at(-1)?.headers['x-membridge-agent']
  return key === undefined ? { status, code } : key
}
const mainKey = () => wire.whole.services.env.MEMBRIDGE_AGENT_KEY
const ownKey = () => nodeCallKey(wire.whole.services.env.MEMBRIDGE_AGENT_KEY, name)

const says = ({ id }: { id: string }, url: string | null) =>
  correctAddress(wire.whole.services.db, { workerId: id, url, reason: 'it stands there' }, OWNER)
/** The control plane has an agent of this name there. */
const sees = (url: string) => {
  const capabilities = { claude_cli: true, max_concurrency: 4, labels: [] }
  const sighting = { ip_addrs: [], agent_version: null, silent_seconds: 1, known_ago: 9 }
  return mergeWorkers(wire.whole.services.db, [{ name, url, capabilities, ...sighting }])
}

describe('an address that was said', () => {
  test.each<[string, () => Headers]>([
    ['under the key that workers share', shared],
    ['under the key of the runtime', () => wire.machine],
    ['by an operator', () => wire.operator],
    ['by an owner who was not asked for the password', () => wire.owner],
  ])('%s gets no key, whatever is asked of it', async (_, headers) => {
    await join()
    const worker = await register(headers())
    expect(await keyAt(worker)).toEqual(SAYS_NOBODY)
    for (const at of [
      `GET ${R}/workers/${worker.id}/agent-health`,
      `POST ${R}/workers/${worker.id}/agent-restart`,
    ]) {
      const body = at.startsWith('GET') ? undefined : { reason: 'to see its key' }
      expect(await wire.call(at, body, { headers: wire.owner })).toMatchObject(SAYS_NOBODY)
    }
    expect(mine.received).toEqual([])
  })

  test('by the node under its own key is called, until somebody else names another', async () => {
    const worker = await register(await join(), 'http://127.0.0.1:1')
    await register(shared(), 'http://127.0.0.1:1')
    expect(await wire.call(`GET ${R}/workers/${worker.id}`)).toMatchObject({ json: { callable: true } })
    expect(await register(shared())).toMatchObject({ url: mine.url, callable: false })
    expect(await keyAt(worker)).toEqual(SAYS_NOBODY)
    expect(mine.received).toEqual([])
  })

  test('stays where a node says nothing of it, and whoever says the same', async () => {
    const node = await join()
    const worker = await register(node)
    await register(node, null)
    await register(shared())
    await register(shared(), null)
    expect(await keyAt(worker)).toBe(ownKey())
  })

  test('by the owner is called, under the main key where the node never joined, and whatever is registered', async () => {
    const worker = await register(shared())
    await says(worker, mine.url)
    await register(shared(), 'http://127.0.0.1:1')
    expect(await wire.call(`GET ${R}/workers/${worker.id}`)).toMatchObject({ json: { callable: true } })
    expect(await keyAt(worker)).toBe(mainKey())
    await join()
    expect(await keyAt(worker)).toBe(ownKey())
    await says(worker, null)
    mine.received.length = 0
    expect(await keyAt(worker)).toEqual(SAYS_NOBODY)
  })

  test('before anybody had to say it is called once the owner says the same', async () => {
    const worker = await register(shared(), null)
    await wire.whole.services.db.query(
      sql`UPDATE worker_node SET corrected_url = ${mine.url} WHERE worker_id = ${worker.id}`,
    )
    expect(await keyAt(worker)).toEqual(SAYS_NOBODY)
    await says(worker, mine.url)
    expect(await keyAt(worker)).toBe(mainKey())
  })

  test('under the admin key is called, also where anybody said the same before; elsewhere it is not', async () => {
    const worker = await register(shared())
    await sees('http://127.0.0.1:1')
    expect(await keyAt(worker)).toEqual(SAYS_NOBODY)
    await sees(mine.url)
    expect(await keyAt(worker)).toBe(mainKey())
  })

  test('by an operator to the control plane is not called', async () => {
    const { db } = wire.whole.services
    const operator = { role: 'operator', identity: 'operator:olena', via: 'api' } as const
    const agent = registerAgentRequest.parse({ name, url: mine.url })
    expect(await registerAgent({ db }, agent, operator)).toMatchObject({ ok: true })
    await sees(mine.url)
    const { rows } = await db.query<{ id: string }>(
      sql`SELECT worker_id AS id FROM worker_node WHERE name = ${name}`,
    )
    expect(await keyAt(rows[0] ?? { id: '' })).toEqual(SAYS_NOBODY)
  })
})
