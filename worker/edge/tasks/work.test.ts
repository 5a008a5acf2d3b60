/** `membridge work` against the whole gateway, over HTTP, with a real process for the node and one for each prompt. */
import { once } from 'node:events'
import fs from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { nodeCallKey } from '#server/keys/node-call-key.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { dispatchTask } from '#server/runtime/dispatch-task.ts'
import { cancelTask } from '#server/runtime/operate-task.ts'
import { RUNTIME } from '#server/runtime/runtime-rows.ts'
import { joinNode } from '#server/runtime/testing/runtime-room.ts'
import { onPort } from '#server/runtime/testing/scripted-node.ts'
import { runAgentProcess } from '../testing/agent-process.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { isAlive, openTaskRoom, PROGRAM, pidIn, type TaskRoom } from '../testing/task-room.ts'

let room: TaskRoom
beforeAll(async () => {
  room = await openTaskRoom()
})
afterAll(() => room?.close())
beforeEach(() => room.clearLimits())

describe('a node', () => {
  afterEach(async () => {
    await room.stopNodes()
  })

  test('that loses its lease kills the program within five seconds and reports nothing', async () => {
    const home = makeNodeHome()
    const file = home.path('child.pid')
    const id = await room.addTask(`slow ${file}`)
    const node = room.start(home)
    const pid = await pidIn(file)
    await cancelTask(room.whole.services.db, { taskId: id, reason: 'not needed' }, RUNTIME)
    await waitUntil(async () => node.said().includes('the lease was lost'), { what: 'the node to notice' })
    expect(isAlive(pid)).toBe(false)
    expect(await room.task(id)).toMatchObject({ status: 'failed', error_code: 'canceled' })
  })

  test('that is killed leaves no program behind', async () => {
    const home = makeNodeHome()
    const file = home.path('child.pid')
    const id = await room.addTask(`slow ${file}`)
    const node = room.start(home)
    const pid = await pidIn(file)
    await node.stop('SIGKILL')
    await waitUntil(async () => !isAlive(pid), { what: 'the program to be gone' })
    await cancelTask(room.whole.services.db, { taskId: id, reason: 'over' }, RUNTIME)
  })

  test('asked to stop finishes what it has, and is offline then', async () => {
    const id = await room.addTask('envelope The last.')
    const node = room.start(makeNodeHome(), [], { MEMBRIDGE_NODE_ID: 'node-2' })
    await waitUntil(async () => (await room.task(id)).status === 'completed', { what: 'the task' })
    expect(await node.stop()).toBe(0)
    const { rows } = await room.whole.services.db.query(
      sql`SELECT offline_at IS NOT NULL AS gone FROM worker_node WHERE name = 'node-2'`,
    )
    expect(rows).toEqual([{ gone: true }])
  })

  test('keeps what it could not report, and reports it when it is back', async () => {
    const home = makeNodeHome()
    const away = await onPort(room.whole.app)
    const id = await room.addTask(`after ${home.path('go')}`)
    const first = room.start(home, ['--once'], { BLOOM_RUNTIME_URL: away.url })
    await waitUntil(async () => (await room.task(id)).status === 'running', { what: 'the task to run' })
    await away.close()
    home.write('go', '')
    await waitUntil(async () => first.said().includes('could not be reported'), {
      what: 'the node to give up',
    })
    expect(fs.readdirSync(home.path('.membridge/outcomes'))).toHaveLength(1)
    expect((await room.task(id)).status).toBe('running')
    const next = room.start(home, ['--once'])
    await waitUntil(async () => next.said().includes('reported after all'), { what: 'the report' })
    expect(await room.task(id)).toMatchObject({ status: 'completed', result: { output: 'after all' } })
    expect(fs.readdirSync(home.path('.membridge/outcomes'))).toEqual([])
  })

  test('shows what it would run', async () => {
    const node = room.start(makeNodeHome(), ['--once', '--dry-run'])
    await waitUntil(async () => node.said().includes('labels'), { what: 'what it would run' })
    expect(node.said()).toContain(`program: ${PROGRAM} -p --output-format json`)
    expect(node.said()).not.toContain(room.whole.services.env.RUNTIME_API_KEY)
  })
})

describe('an agent that is called', () => {
  const PLANE_KEY = 'p'.repeat(43)
  const parts = () => ({
    ...room.whole.services,
    env: { ...room.whole.services.env, RUNTIME_URL: room.gateway.url, MEMBRIDGE_AGENT_KEY: PLANE_KEY },
  })
  const freePort = async (): Promise<number> => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    return port
  }

  test('says where, runs what it is given, and refuses what it has no room for', async () => {
    const home = makeNodeHome()
    const port = await freePort()
    const agent = await runAgentProcess(home, {
      ...{ MEMBRIDGE_WORK: 'push', MEMBRIDGE_AGENT_PORT: String(port), MEMBRIDGE_NODE_ID: 'called' },
      ...{
        MEMBRIDGE_AGENT_URL: `http://127.0.0.1:${port}`,
        MEMBRIDGE_AGENT_KEY: nodeCallKey(PLANE_KEY, 'called'),
        MEMBRIDGE_NODE_KEY: await joinNode(room.whole.services.db, 'called'),
      },
      ...room.own,
    })
    const { db } = room.whole.services
    const called = async () =>
      (await db.query<{ worker_id: string }>(sql`SELECT worker_id FROM worker_node WHERE name = 'called'`))
        .rows[0]?.worker_id
    await waitUntil(called, { what: 'the agent to register' })
    const workerId = await called()
    const dispatched = await dispatchTask(
      parts(),
      { taskId: await room.addTask('envelope By call.'), workerId },
      RUNTIME,
    )
    expect(dispatched).toMatchObject({
      value: { execution: { ok: true, output: 'By call.', session_messages: 0 } },
    })
    if (!dispatched.ok) throw new Error(dispatched.refusal.message)
    expect(await room.task(dispatched.value.task_id)).toMatchObject({
      ...{ status: 'completed', attempts: 1, result: { output: 'By call.', metrics: { tokens_used: 7 } } },
    })
    const broken = await dispatchTask(
      parts(),
      { taskId: await room.addTask('exit', { max_attempts: 1 }), workerId },
      RUNTIME,
    )
    if (!broken.ok) throw new Error(broken.refusal.message)
    expect(await room.task(broken.value.task_id)).toMatchObject({
      status: 'dead',
      error_code: 'provider_error',
    })
    const post = (body: object) =>
      fetch(`${agent.url}/execute-task`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-membridge-agent': nodeCallKey(PLANE_KEY, 'called'),
        },
        body: JSON.stringify(body),
      })
    expect((await post({ task_id: 'x' })).status).toBe(400)
    const go = home.path('go')
    const asked = { task_id: 'x', context_id: 'c', runtime_url: 'http://127.0.0.1:1' }
    const first = post({ ...asked, prompt: `after ${go}` })
    await waitUntil(() => agent.output().includes('task x: started'), { what: 'the first task' })
    expect((await post({ ...asked, prompt: 'second' })).status).toBe(429)
    fs.writeFileSync(go, '')
    expect(await (await first).json()).toMatchObject({ ok: true, output: 'after all' })
    expect(agent.output()).not.toContain(room.whole.services.env.RUNTIME_API_KEY)
    expect(agent.output()).not.toMatch(/lease\/[A-Za-z0-9_-]{43}/)
  })

  test('fetches, when it is set to', async () => {
    await runAgentProcess(makeNodeHome(), {
      ...{ MEMBRIDGE_WORK: 'pull', MEMBRIDGE_NODE_ID: 'fetching' },
      ...room.own,
    })
    expect(await room.answered('envelope By fetching.')).toMatchObject({ result: { output: 'By fetching.' } })
  })
})
