/** Clients that share nothing with the server: a node of Python's standard library, called as existing ones are, and curl in a shell. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { promisify } from 'node:util'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { isInstalled } from '#server/control-plane/testing/wire-clients.ts'
import { type ListeningGateway, listeningGateway } from '#server/http/testing/whole-gateway.ts'
import { lacking } from '#server/launch/testing/lacking.ts'
import { getVerified } from '#server/ports/object-store.ts'
import { dispatchTask } from './dispatch-task.ts'
import { getTask } from './runtime-lists.query.ts'
import { RUNTIME } from './runtime-rows.ts'
import { addTask, addWorker } from './testing/runtime-room.ts'

const run = promisify(execFile)
let gateway: ListeningGateway
beforeAll(async () => {
  gateway = await listeningGateway()
})
afterAll(() => gateway?.close())
beforeEach(async () => {
  await gateway.services.db.query(sql`DELETE FROM rate_slice`)
})

const PROMPT = 'Що нового? Ї'

it('an unchanged Python node carries a task to its artifact, which holds the bare answer', async (context) => {
  if (!isInstalled('python3')) lacking(context, 'python3')
  const { db, env } = gateway.services
  const child = spawn('python3', [path.join(import.meta.dirname, 'testing/existing_node.py')], {
    env: { ...process.env, MEMBRIDGE_AGENT_KEY: env.MEMBRIDGE_AGENT_KEY },
  })
  try {
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
    await addWorker(db, 'rpi', { url: `http://127.0.0.1:${line.trim()}` })
    const id = await addTask(db, { prompt: PROMPT, desired_format: 'json' })
    const parts = { ...gateway.services, env: { ...env, RUNTIME_URL: gateway.url } }
    const dispatched = await dispatchTask(parts, { taskId: id }, RUNTIME)
    expect(dispatched).toMatchObject({
      ok: true,
      value: { execution: { ok: true, detail: '200 200 completed' } },
    })
    const task = await getTask(db, id)
    expect(task).toMatchObject({ status: 'completed', attempts: 1, result: { metrics: { tokens_used: 15 } } })
    const { rows } = await db.query<{ object_key: string; content_sha256: string; tags: string[] }>(
      sql`SELECT object_key, content_sha256, tags FROM artifact WHERE task_id = ${id}`,
    )
    const [artifact] = rows
    expect(rows).toHaveLength(1)
    expect(artifact?.tags).toEqual(['uk'])
    const bytes = await getVerified(
      gateway.services.store,
      artifact?.object_key ?? '',
      artifact?.content_sha256 ?? '',
    )
    const { content } = JSON.parse(Buffer.from(bytes as Uint8Array).toString())
    expect(JSON.parse(content.output)).toEqual({ from: 'writer', bytes: 21 })
  } finally {
    child.kill()
  }
})

it('curl does the same step by step, by the key of the runtime', async (context) => {
  if (!isInstalled('curl')) lacking(context, 'curl')
  const call = async (method: string, address: string, body?: unknown, key = true) => {
    const data = body === undefined ? [] : ['--data-binary', JSON.stringify(body)]
    const headers = [
      'content-type: application/json',
      ...(key ? [`x-runtime-api-key: ${gateway.services.env.RUNTIME_API_KEY}`] : []),
    ]
    const args = [
      '-q',
      '--noproxy',
      '*',
      '--silent',
      '--show-error',
      '--request',
      method,
      '--write-out',
      '\n%{http_code}',
    ]
    const { stdout } = await run('curl', [
      ...args,
      ...headers.flatMap((header) => ['--header', header]),
      ...data,
      '--',
      `${gateway.url}${address}`,
    ])
    const at = stdout.lastIndexOf('\n')
    return { status: Number(stdout.slice(at + 1)), json: JSON.parse(stdout.slice(0, at) || 'null') }
  }
  const registered = await call('POST', '/api/runtime/workers', {
    name: 'shell',
    capabilities: { max_concurrency: 1 },
  })
  expect(registered.status).toBe(201)
  const created = await call('POST', '/api/runtime/llm-tasks', {
    context_id: 'garden',
    agent_slug: 'writer',
    prompt: PROMPT,
  })
  expect(created.status).toBe(201)
  const task = `/api/runtime/llm-tasks/${created.json.id}`
  const leased = await call('POST', `${task}/lease`, { worker_id: registered.json.id })
  expect(leased.status).toBe(201)
  const below = `/lease/${leased.json.lease.token}${task}`
  expect((await call('POST', `${below}/heartbeat`, undefined, false)).status).toBe(200)
  const report = { status: 'success', output: 'Spring.', metrics: { duration_ms: 3, tokens_used: null } }
  expect(await call('POST', `${below}/complete`, report, false)).toMatchObject({
    status: 200,
    json: { task: { status: 'completed' }, result: { output: 'Spring.' } },
  })
  expect((await call('POST', `${task}/complete`, report, false)).status).toBe(401)
  expect((await call('GET', `/api/runtime/workers/${registered.json.id}`)).json).toMatchObject({
    active_leases: 0,
  })
})
