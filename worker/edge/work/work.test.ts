/** `membridge work` against the whole gateway, over HTTP, with a real process for the node and one for each prompt. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { taskRequest } from '#contracts/llm-task.contract.ts'
import { stampPeerAddresses } from '#server/http/peer-address.ts'
import { type WholeGateway, wholeGateway } from '#server/http/testing/whole-gateway.ts'
import { nodeCallKey } from '#server/keys/node-call-key.ts'
import { COMPILED } from '#server/launch/testing/compiled.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { createTask } from '#server/runtime/create-task.ts'
import { dispatchTask } from '#server/runtime/dispatch-task.ts'
import { cancelTask } from '#server/runtime/operate-task.ts'
import { getTask } from '#server/runtime/runtime-lists.query.ts'
import { RUNTIME } from '#server/runtime/runtime-rows.ts'
import { onPort } from '#server/runtime/testing/scripted-node.ts'
import { runAgentProcess } from '../testing/agent-process.ts'
import { openNodeHome } from '../testing/home-folder.ts'
import { makeNodeHome, type NodeHome } from '../testing/node-home.ts'

const MAIN = path.join(import.meta.dirname, '../main.ts')
const PROGRAM = path.join(import.meta.dirname, '../testing/answer-prompt.sh')
const CANARY = 'canary-4711'

let whole: WholeGateway
let gateway: { url: string; close(): Promise<void> }
beforeAll(async () => {
  stampPeerAddresses()
  whole = await wholeGateway()
  gateway = await onPort(whole.app)
})
afterAll(async () => {
  await gateway?.close()
  await whole?.close()
})

type Node = {
  home: NodeHome
  said(): string
  pid: number
  stop(signal?: NodeJS.Signals): Promise<number | null>
}
const nodes: Node[] = []
beforeEach(async () => {
  await whole.services.db.query(sql`DELETE FROM rate_slice`)
})
function startNode(home: NodeHome, args: string[] = [], env: Record<string, string> = {}): Node {
  const child = spawn(process.execPath, [MAIN, 'work', ...args], {
    cwd: home.path(),
    env: Object.assign(Object.create(null), { PATH: '/usr/bin:/bin', HOME: home.path() }, COMPILED, {
      ...{
        BLOOM_RUNTIME_URL: gateway.url,
        RUNTIME_API_KEY: whole.services.env.RUNTIME_API_KEY,
        CLAUDE_BIN: PROGRAM,
      },
      ...{ MEMBRIDGE_NODE_ID: 'node-1', MINIO_SECRET_KEY: CANARY, ANTHROPIC_API_KEY: CANARY },
      ...env,
    }),
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      said += text
    })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const node: Node = {
    home,
    said: () => said,
    pid: child.pid as number,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return closed
    },
  }
  nodes.push(node)
  return node
}

async function addTask(lastLine: string, more: object = {}): Promise<string> {
  const request = taskRequest.parse({
    context_id: 'garden',
    agent_slug: 'writer',
    prompt: `Do this:\n${lastLine}`,
    ...more,
  })
  const made = await createTask(whole.services.db, request, RUNTIME)
  if (!made.ok) throw new Error(made.refusal.message)
  return made.value.task.id
}
const task = async (id: string) => {
  const found = await getTask(whole.services.db, id)
  if (!found) throw new Error('no task')
  return found
}
/** What became of a task once a node has had it. */
async function answered(lastLine: string, more: object = {}) {
  const id = await addTask(lastLine, more)
  await waitUntil(async () => ['completed', 'failed', 'dead'].includes((await task(id)).status), {
    what: 'an answer',
  })
  return task(id)
}
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !fs.readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}
const pidIn = async (file: string): Promise<number> => {
  await waitUntil(async () => fs.existsSync(file) && fs.readFileSync(file, 'utf8').trim() !== '', {
    what: 'the program to run',
  })
  return Number(fs.readFileSync(file, 'utf8'))
}

describe('one task', () => {
  let home: NodeHome
  beforeAll(() => {
    home = openNodeHome()
    home.write('garden/notes/a.md', 'ALPHA')
    home.write('garden/notes/b.md', 'BETA')
    home.write('garden/.env', 'SECRET=1')
    home.write('garden/.git/config', 'x')
    home.write('garden/image.bin', 'a\0b')
    home.write('outside.md', 'OUTSIDE')
    fs.symlinkSync(home.path('outside.md'), home.path('garden/link.md'))
    const project = { project_id: 'garden', canonical_id: '0123456789abcdef', created_at: 1, last_seen: 1 }
    const projects = { [project.canonical_id]: { ...project, path: home.path('garden') } }
    home.write('.membridge/agent_projects.json', JSON.stringify(projects))
    startNode(home, [], { MEMBRIDGE_NODE_ID: 'node-of-all' })
  })
  afterAll(async () => {
    for (const node of nodes.splice(0)) await node.stop('SIGKILL')
    fs.rmSync(home.path(), { recursive: true, force: true })
  })

  test('is answered: the bare answer, its tokens, a heartbeat', async () => {
    const done = await answered('envelope All is well.')
    expect(done).toMatchObject({
      ...{ status: 'completed', attempts: 1 },
      result: { output: 'All is well.', metrics: { tokens_used: 7, provider: 'claude-cli' } },
    })
    expect(done.history.map(({ name }) => name)).toEqual([
      'task.created',
      'task.leased',
      'task.started',
      'task.completed',
    ])
  })

  test('gets the prompt on its input, the arguments of the program, and no key of the environment', async () => {
    const shell = 'prompt'
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what a shell would replace
    const prompt = '$(id) `id` ; rm -rf / | & > < \' " \\\n${HOME}\n'
    const read = await answered(shell, { prompt: `${prompt}${shell}` })
    expect(read.result?.output).toBe(`${prompt}${shell}`)
    expect((await answered('arguments')).result?.output?.split('\n').slice(0, 3)).toEqual([
      '-p',
      '--output-format',
      'json',
    ])
    const environment = (await answered('environment')).result?.output ?? ''
    expect(environment).not.toContain(CANARY)
    expect(environment).not.toMatch(/MINIO|ANTHROPIC|RUNTIME|MEMBRIDGE/)
    expect(environment).toContain('PATH=')
  })

  test.each<[string, object, object]>([
    ['error Overloaded', {}, { error_code: 'provider_error', last_error: 'Overloaded' }],
    ['exit', {}, { error_code: 'provider_error', last_error: 'it broke: HTTP 500' }],
    ['no json', { desired_format: 'json' }, { error_code: 'parse_error' }],
    ['much', {}, { error_code: 'output_too_large', retry_at: null }],
    ['envelope x', { policy: { budget: 6 } }, { error_code: 'budget_exceeded', retry_at: null }],
  ])('that ends with %s fails by the matrix', async (line, more, expected) => {
    expect(await answered(line, more)).toMatchObject({ status: 'failed', artifact_id: null, ...expected })
  })

  test('whose output has no place in a text is kept without that', async () => {
    expect((await answered('odd')).result?.output).toBe('ab\u001b[31mc')
  })

  test('over its time is killed with all that it started', async () => {
    const file = home.path('child.pid')
    const done = await answered(`slow ${file}`, { policy: { timeout_sec: 1 } })
    expect(done).toMatchObject({ status: 'failed', error_code: 'timeout' })
    expect(isAlive(await pidIn(file))).toBe(false)
  })

  test('reads the files that it names below the project, and lists what it may not', async () => {
    const context_hints = [
      'notes/*.md',
      '.env',
      '.git/config',
      '/etc/passwd',
      '../outside.md',
      'link.md',
      'image.bin',
      'gone.md',
      '@memory/recent',
    ]
    const done = await answered('prompt', { context_hints })
    expect(done.result?.output).toContain('ALPHA')
    expect(done.result?.output).toContain('BETA')
    expect(done.result?.output).not.toMatch(/OUTSIDE|SECRET|root:/)
    const report = done.attempt_list[0]?.context_report.map(({ hint, status }) => `${hint} ${status}`)
    expect(report?.sort()).toEqual([
      ...[
        '../outside.md skipped',
        '.env skipped',
        '.git/config skipped',
        '/etc/passwd skipped',
        '@memory/recent skipped',
      ],
      ...['gone.md skipped', 'image.bin skipped', 'link.md skipped', 'notes/*.md loaded'],
    ])
  })
})

describe('a node', () => {
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop('SIGKILL')
  })

  test('that loses its lease kills the program within five seconds and reports nothing', async () => {
    const home = makeNodeHome()
    const file = home.path('child.pid')
    const id = await addTask(`slow ${file}`)
    const node = startNode(home)
    const pid = await pidIn(file)
    await cancelTask(whole.services.db, { taskId: id, reason: 'not needed' }, RUNTIME)
    await waitUntil(async () => node.said().includes('the lease was lost'), { what: 'the node to notice' })
    expect(isAlive(pid)).toBe(false)
    expect(await task(id)).toMatchObject({ status: 'failed', error_code: 'canceled' })
  })

  test('that is killed leaves no program behind', async () => {
    const home = makeNodeHome()
    const file = home.path('child.pid')
    const id = await addTask(`slow ${file}`)
    const node = startNode(home)
    const pid = await pidIn(file)
    await node.stop('SIGKILL')
    await waitUntil(async () => !isAlive(pid), { what: 'the program to be gone' })
    await cancelTask(whole.services.db, { taskId: id, reason: 'over' }, RUNTIME)
  })

  test('asked to stop finishes what it has, and is offline then', async () => {
    const id = await addTask('envelope The last.')
    const node = startNode(makeNodeHome(), [], { MEMBRIDGE_NODE_ID: 'node-2' })
    await waitUntil(async () => (await task(id)).status === 'completed', { what: 'the task' })
    expect(await node.stop()).toBe(0)
    const { rows } = await whole.services.db.query(
      sql`SELECT offline_at IS NOT NULL AS gone FROM worker_node WHERE name = 'node-2'`,
    )
    expect(rows).toEqual([{ gone: true }])
  })

  test('keeps what it could not report, and reports it when it is back', async () => {
    const home = makeNodeHome()
    const away = await onPort(whole.app)
    const id = await addTask(`after ${home.path('go')}`)
    const first = startNode(home, ['--once'], { BLOOM_RUNTIME_URL: away.url })
    await waitUntil(async () => (await task(id)).status === 'running', { what: 'the task to run' })
    await away.close()
    home.write('go', '')
    await waitUntil(async () => first.said().includes('could not be reported'), {
      what: 'the node to give up',
    })
    expect(fs.readdirSync(home.path('.membridge/outcomes'))).toHaveLength(1)
    expect((await task(id)).status).toBe('running')
    const next = startNode(home, ['--once'])
    await waitUntil(async () => next.said().includes('reported after all'), { what: 'the report' })
    expect(await task(id)).toMatchObject({ status: 'completed', result: { output: 'after all' } })
    expect(fs.readdirSync(home.path('.membridge/outcomes'))).toEqual([])
  })

  test('shows what it would run', async () => {
    const node = startNode(makeNodeHome(), ['--once', '--dry-run'])
    await waitUntil(async () => node.said().includes('labels'), { what: 'what it would run' })
    expect(node.said()).toContain(`program: ${PROGRAM} -p --output-format json`)
    expect(node.said()).not.toContain(whole.services.env.RUNTIME_API_KEY)
  })
})

describe('an agent that is called', () => {
  const PLANE_KEY = 'p'.repeat(43)
  const parts = () => ({
    ...whole.services,
    env: { ...whole.services.env, RUNTIME_URL: gateway.url, MEMBRIDGE_AGENT_KEY: PLANE_KEY },
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
      },
      ...{
        BLOOM_RUNTIME_URL: gateway.url,
        RUNTIME_API_KEY: whole.services.env.RUNTIME_API_KEY,
        CLAUDE_BIN: PROGRAM,
      },
    })
    const { db } = whole.services
    const called = async () =>
      (await db.query<{ worker_id: string }>(sql`SELECT worker_id FROM worker_node WHERE name = 'called'`))
        .rows[0]?.worker_id
    await waitUntil(called, { what: 'the agent to register' })
    const workerId = await called()
    const dispatched = await dispatchTask(
      parts(),
      { taskId: await addTask('envelope By call.'), workerId },
      RUNTIME,
    )
    expect(dispatched).toMatchObject({
      value: { execution: { ok: true, output: 'By call.', session_messages: 0 } },
    })
    if (!dispatched.ok) throw new Error(dispatched.refusal.message)
    expect(await task(dispatched.value.task_id)).toMatchObject({
      ...{ status: 'completed', attempts: 1, result: { output: 'By call.', metrics: { tokens_used: 7 } } },
    })
    const broken = await dispatchTask(
      parts(),
      { taskId: await addTask('exit', { max_attempts: 1 }), workerId },
      RUNTIME,
    )
    if (!broken.ok) throw new Error(broken.refusal.message)
    expect(await task(broken.value.task_id)).toMatchObject({ status: 'dead', error_code: 'provider_error' })
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
    expect(agent.output()).not.toContain(whole.services.env.RUNTIME_API_KEY)
    expect(agent.output()).not.toMatch(/lease\/[A-Za-z0-9_-]{43}/)
  })

  test('fetches, when it is set to', async () => {
    await runAgentProcess(makeNodeHome(), {
      ...{ MEMBRIDGE_WORK: 'pull', MEMBRIDGE_NODE_ID: 'fetching' },
      ...{
        BLOOM_RUNTIME_URL: gateway.url,
        RUNTIME_API_KEY: whole.services.env.RUNTIME_API_KEY,
        CLAUDE_BIN: PROGRAM,
      },
    })
    expect(await answered('envelope By fetching.')).toMatchObject({ result: { output: 'By fetching.' } })
  })
})
