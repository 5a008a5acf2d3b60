/** The life of the agent's process: how it starts, ends, is killed, and is started again. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '#server/launch/ports.mjs'
import { isAlive } from '#server/launch/process-identity.mjs'
import { COMPILED } from '#server/launch/testing/compiled.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { AGENT_KEY, callAgent, runAgentProcess } from '../testing/agent-process.ts'
import { makeMemoryFile } from '../testing/memory-file.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { runEdge } from '../testing/run-edge.ts'

const REGISTRY = '.membridge/agent_projects.json'
const CONTROL = { MEMBRIDGE_ALLOW_PROCESS_CONTROL: '1' }

/** A store that takes every request and answers none; a doctor that asks it is at work for 5 s. */
async function silentStore() {
  let asked = 0
  const server = http.createServer(() => {
    asked += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const env = {
    ...{ MINIO_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, MINIO_BUCKET: 'b' },
    ...{ MINIO_ACCESS_KEY: 'access-key', MINIO_SECRET_KEY: 'secret-key' },
  }
  return { env, asked: () => asked }
}

const childrenOf = (pid: number | undefined): number[] =>
  fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

describe('doctor over HTTP', () => {
  test('is the command line of this node, whether or not the project is registered', async () => {
    const node = makeNodeHome()
    node.write('.claude-mem-minio/config.env', `CLAUDE_MEM_DB=${makeMemoryFile(node.path('m.db'))}\n`)
    fs.mkdirSync(node.path('store'))
    const agent = await runAgentProcess(node, { MINIO_ENDPOINT: `file://${node.path('store')}` })
    const { status, json } = await callAgent(agent.url, 'GET /doctor?project=mem')
    expect([status, json]).toMatchObject([
      200,
      {
        ...{ ok: true, action: 'doctor', project: 'mem', canonical_id: '6fe2e0f6071ac2bb', dryrun: false },
        ...{ detail: 'doctor completed', stderr: null, returncode: 0 },
        stdout: expect.stringMatching(
          /^\[1\/5\] Project identity\n.*observations:\s+3\n.*STATUS: DEGRADED$/s,
        ),
      },
    ])
    const odd = await callAgent(agent.url, 'POST /doctor', { body: { project: '--config=/etc/passwd' } })
    expect(odd.json).toMatchObject({ project: '--config=/etc/passwd', returncode: 0 })
    expect((await callAgent(agent.url, 'GET /status?project=mem')).json).toMatchObject({
      ...{ ok: true, detail: 'Agent ready', config_env_exists: true, db_exists: true, registered: false },
    })
  })

  test('of a node that lacks its settings says which', async () => {
    const agent = await runAgentProcess(makeNodeHome())
    const failed = await callAgent(agent.url, 'GET /doctor?project=mem')
    expect(failed.json).toMatchObject({
      ok: false,
      returncode: 1,
      detail: expect.stringContaining('STATUS: ERROR'),
    })
    expect((await callAgent(agent.url, 'GET /status?project=mem')).json).toMatchObject({
      ...{ ok: false, config_env_exists: false, db_exists: false, db_path: null },
      detail: expect.stringMatching(/^config.env not found .* set MINIO_ENDPOINT and CLAUDE_MEM_DB$/),
    })
  })
})

describe('the end', () => {
  test('by SIGTERM, asked more than once: the command is stopped, its caller answered, nothing left', async () => {
    const store = await silentStore()
    const agent = await runAgentProcess(makeNodeHome(), store.env)
    const answer = callAgent(agent.url, 'GET /doctor?project=mem')
    await waitUntil(() => store.asked() > 0)
    const children = childrenOf(agent.child.pid)
    agent.child.kill('SIGINT')
    expect(await agent.stop()).toBe(0)
    expect((await answer).json).toMatchObject({
      ...{ ok: false, returncode: null, detail: 'doctor was stopped: the agent of this node shut down' },
    })
    expect(children.map(isAlive)).toEqual([false])
    expect(agent.output()).toContain('agent stopped on port')
  })

  test('by SIGKILL: the command ends, since nobody waits for it', async () => {
    const store = await silentStore()
    const agent = await runAgentProcess(makeNodeHome(), store.env)
    const answer = callAgent(agent.url, 'GET /doctor?project=mem').catch(() => 'gone')
    await waitUntil(() => store.asked() > 0)
    const children = childrenOf(agent.child.pid)
    expect(children.map(isAlive)).toEqual([true])
    await agent.stop('SIGKILL')
    expect(await answer).toBe('gone')
    await waitUntil(() => children.every((pid) => !isAlive(pid)), { timeoutMs: 4_000 })
  })
})

describe('the start', () => {
  test('after a kill goes on with the projects of before', async () => {
    const node = makeNodeHome()
    const first = await runAgentProcess(node)
    for (const project_id of ['garden-seedling', 'mem'])
      await callAgent(first.url, 'POST /register_project', { body: { project_id, path: '/srv' } })
    const { json } = await callAgent(first.url, 'GET /projects')
    await first.stop('SIGKILL')
    const second = await runAgentProcess(node)
    expect((await callAgent(second.url, 'GET /projects')).json).toEqual(json)
    expect(json).toHaveLength(2)
  })

  test('on a registry that is not understood keeps it and says so', async () => {
    const node = makeNodeHome()
    node.write(REGISTRY, '{"torn')
    const agent = await runAgentProcess(node)
    expect((await callAgent(agent.url, 'GET /projects')).json).toEqual([])
    expect(fs.readFileSync(node.path(REGISTRY), 'utf8')).toBe('{"torn')
    await callAgent(agent.url, 'POST /register_project', { body: { project_id: 'mem' } })
    const kept = fs.readdirSync(node.path('.membridge')).find((name) => name.includes('.corrupt-')) ?? ''
    expect(fs.readFileSync(node.path('.membridge', kept), 'utf8')).toBe('{"torn')
    expect(agent.lines().some(({ msg }) => String(msg).includes(kept))).toBe(true)
  })

  test.each([
    [
      'on a port that is taken',
      async () => ({ MEMBRIDGE_AGENT_PORT: String(await takenPort()) }),
      /is taken: .*MEMBRIDGE_AGENT_PORT/,
    ],
    [
      'for the network, without TLS or consent',
      async () => ({ MEMBRIDGE_AGENT_HOST: '0.0.0.0' }),
      /TRUSTED_PROXIES.*ALLOW_INSECURE_LAN=1/,
    ],
    ['with a port that is none', async () => ({ MEMBRIDGE_AGENT_PORT: 'x' }), /MEMBRIDGE_AGENT_PORT must be/],
    [
      'with an interval of nothing',
      async () => ({ MEMBRIDGE_HEARTBEAT_INTERVAL_SECONDS: '0' }),
      /INTERVAL_SECONDS must be between 1 and 3600/,
    ],
  ])('%s is refused in one line', async (_how, env, wanted) => {
    const { code, stderr } = await runEdge(makeNodeHome(), ['agent'], await env())
    expect([code, stderr.split('\n').length]).toEqual([1, 2])
    expect(stderr).toMatch(wanted)
  })
})

async function takenPort(): Promise<number> {
  const server = http.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

describe('process control', () => {
  test('is refused where nothing would start the agent again, and for what it does not do', async () => {
    const agent = await runAgentProcess(makeNodeHome(), CONTROL)
    for (const action of ['restart', 'self-update', 'uninstall']) {
      const answer = await callAgent(agent.url, `POST /${action}`, {
        body: { repo_url: 'https://evil.example' },
      })
      expect([answer.status, answer.json.detail]).toEqual([501, expect.stringMatching(/\.$/)])
    }
    const dry = await runAgentProcess(makeNodeHome(), { ...CONTROL, MEMBRIDGE_AGENT_DRYRUN: '1' })
    expect((await callAgent(dry.url, 'POST /restart')).json).toMatchObject({
      ...{ ok: true, dryrun: true, detail: expect.stringMatching(/^\[DRYRUN\]/) },
    })
  })

  test('restarts an agent that runs as a service', async () => {
    const node = makeNodeHome()
    const port = await freePort()
    const folder = path.join(import.meta.dirname, '..')
    const args = [path.join(folder, 'testing/stand-in-supervisor.ts'), path.join(folder, 'main.ts'), 'agent']
    const own = { ...CONTROL, MEMBRIDGE_AGENT_PORT: String(port), MEMBRIDGE_AGENT_KEY: AGENT_KEY }
    const service = spawn(process.execPath, args, {
      env: Object.assign(Object.create(null), {
        PATH: '/usr/bin:/bin',
        HOME: node.host.home,
        ...COMPILED,
        ...own,
      }),
    })
    let text = ''
    for (const stream of [service.stdout, service.stderr])
      stream.on('data', (chunk) => {
        text += chunk
      })
    const gone = once(service, 'close')
    onTestFinished(async () => {
      service.kill('SIGTERM')
      await gone
    })
    const url = `http://127.0.0.1:${port}`
    const up = () =>
      waitUntil(async () => (await callAgent(url, 'GET /health')).json as { uptime_seconds: number })
    expect(await up()).toMatchObject({ capabilities: { restart: true } })
    expect((await callAgent(url, 'POST /restart')).json).toMatchObject({ ok: true, dryrun: false })
    await waitUntil(() => text.includes('ended with 75'))
    expect(await up()).toMatchObject({ status: 'ok' })
  })
})
