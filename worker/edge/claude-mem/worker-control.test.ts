import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isAlive } from '#server/launch/process-identity.mjs'
import { startChild } from '../testing/child.ts'
import { makeNodeHome, type NodeHome } from '../testing/node-home.ts'
import { findWorker, workerPorts } from './find-worker.ts'
import { startWorker } from './start-worker.ts'
import { stopWorker } from './stop-worker.ts'

const LIMITS = { graceMs: 300 }
const STAND_IN = path.join(import.meta.dirname, '../testing/stand-in-worker.ts')

async function startStandIn(node: NodeHome, manners: string) {
  const child = await startChild('stand-in-worker.ts', [manners], { HOME: node.host.home })
  return { ...child, port: Number(child.line) }
}

test('ports are asked in the order variable, pid file, computed, old default, each once', async () => {
  const node = makeNodeHome()
  const host = { ...node.host, uid: 1042 }
  expect(await workerPorts(host, {})).toEqual([
    { port: 37_742, from: 'computed' },
    { port: 37_777, from: 'default' },
  ])
  node.write('.claude-mem/worker.pid', '{"pid": 1, "port": 4100}')
  expect(await workerPorts({ ...host, uid: 77 }, { CLAUDE_MEM_WORKER_PORT: 4200 })).toEqual([
    { port: 4200, from: 'CLAUDE_MEM_WORKER_PORT' },
    { port: 4100, from: 'worker.pid' },
    { port: 37_777, from: 'computed' },
  ])
})

test('the worker is found by its pid file, with version and process', async () => {
  const node = makeNodeHome()
  const worker = await startStandIn(node, 'obedient')
  expect(await findWorker(node.host, {})).toEqual({
    port: worker.port,
    from: 'worker.pid',
    status: 'ok',
    version: '13.15.3',
    pid: worker.pid,
    identified: true,
  })
})

test.each(['other', 'liar'])(
  'a service that is not known to be claude-mem (%s) is reported and never stopped',
  async (manners) => {
    const node = makeNodeHome()
    const service = await startStandIn(node, manners)
    const settings = { CLAUDE_MEM_WORKER_PORT: service.port }
    expect(await findWorker(node.host, settings)).toMatchObject({ port: service.port, identified: false })
    expect(await stopWorker(node.host, settings, LIMITS)).toBe('unidentified')
    expect(isAlive(service.pid)).toBe(true)
    const worker = await startStandIn(node, 'obedient')
    expect((await findWorker(node.host, settings))?.port).toBe(worker.port)
  },
)

test('what answers on the port but is not claude-mem is passed over', async () => {
  const node = makeNodeHome()
  const other = await startStandIn(node, 'foreign')
  const worker = await startStandIn(node, 'obedient')
  expect((await findWorker(node.host, { CLAUDE_MEM_WORKER_PORT: other.port }))?.port).toBe(worker.port)
})

test.each([
  ['obedient', 'shut-down'],
  ['terse', 'shut-down'],
  ['deaf', 'terminated'],
  ['stubborn', 'killed'],
])('a worker that is %s is %s', async (manners, outcome) => {
  const node = makeNodeHome()
  const worker = await startStandIn(node, manners)
  expect(await stopWorker(node.host, {}, LIMITS)).toBe(outcome)
  expect(isAlive(worker.pid)).toBe(false)
})

test.each(['nameless', 'untokened'])(
  'a worker that does not stop and is %s is a fault, and is not signalled',
  async (manners) => {
    const node = makeNodeHome()
    const worker = await startStandIn(node, manners)
    await expect(stopWorker(node.host, { CLAUDE_MEM_WORKER_PORT: worker.port }, LIMITS)).rejects.toThrow(
      `the claude-mem worker on port ${worker.port} could not be stopped: end it by hand`,
    )
    expect(isAlive(worker.pid)).toBe(true)
  },
)

test('a process that only has the id of the worker is not signalled', async () => {
  const node = makeNodeHome()
  const other = await startChild('stand-in-worker.ts', ['nameless'])
  node.write('.claude-mem/worker.pid', JSON.stringify({ pid: other.pid, port: 1, startToken: '12345' }))
  expect(await stopWorker(node.host, {}, LIMITS)).toBe('not-running')
  expect(isAlive(other.pid)).toBe(true)
})

test('a worker that hangs with its port closed is still ended by its token', async () => {
  const node = makeNodeHome()
  const worker = await startStandIn(node, 'deaf')
  const file = JSON.parse(fs.readFileSync(node.path('.claude-mem/worker.pid'), 'utf8'))
  node.write('.claude-mem/worker.pid', JSON.stringify({ ...file, port: 1 }))
  expect(await stopWorker(node.host, {}, LIMITS)).toBe('terminated')
  expect(isAlive(worker.pid)).toBe(false)
})

test.each([['{'], ['[]'], ['{"pid":"x"}'], ['{"pid":-1,"startToken":"1"}']])(
  'a pid file that says %j is no worker',
  async (text) => {
    const node = makeNodeHome()
    node.write('.claude-mem/worker.pid', text)
    expect(await stopWorker(node.host, {}, LIMITS)).toBe('not-running')
  },
)

/** A plugin of some version, and a bun that runs the stand-in instead. */
function installPlugin(node: NodeHome, script: string): void {
  const folder = node.path('.claude/plugins/cache/thedotmack/claude-mem/13.15.3')
  node.write('.claude/plugins/cache/thedotmack/claude-mem/13.15.3/scripts/worker-service.cjs', '')
  node.write('bin/bun', `#!/bin/sh\n${script}\n`, 0o755)
  node.write(
    '.claude/plugins/installed_plugins.json',
    JSON.stringify({ plugins: { 'claude-mem@thedotmack': [{ installPath: folder }] } }),
  )
}

test('is started detached from the installed plugin, without the keys of the node, and is ready', async () => {
  const node = makeNodeHome()
  installPlugin(
    node,
    `printf '%s\\n' "$@" > "$HOME/arguments"; env > "$HOME/environment"; exec ${process.execPath} ${STAND_IN} deaf`,
  )
  const env = {
    PATH: `${node.path('bin')}:/usr/bin:/bin`,
    HOME: node.host.home,
    MINIO_SECRET_KEY: 'canary',
    MEMBRIDGE_AGENT_KEY: 'canary',
  }
  const host = { ...node.host, env }
  onTestFinished(() => stopWorker(host, {}, LIMITS).then(() => {}))
  const outcome = await startWorker(host, {})
  expect(outcome).toEqual({ started: true, port: (await findWorker(host, {}))?.port })
  expect(fs.readFileSync(node.path('arguments'), 'utf8').split('\n')).toEqual([
    node.path('.claude/plugins/cache/thedotmack/claude-mem/13.15.3/scripts/worker-service.cjs'),
    '--daemon',
    '',
  ])
  expect(fs.readFileSync(node.path('environment'), 'utf8')).not.toContain('canary')
})

test('says why it was not started', async () => {
  const node = makeNodeHome({ PATH: '/nowhere' })
  expect(await startWorker(node.host, {})).toMatchObject({
    started: false,
    why: expect.stringMatching(/plugin was not found/),
  })
  installPlugin(node, 'exit 1')
  expect(await startWorker(node.host, {})).toMatchObject({
    started: false,
    why: expect.stringMatching(/bun was not found/),
  })
  const host = { ...node.host, env: { PATH: `${node.path('bin')}:/bin` } }
  expect(await startWorker(host, {}, { readyMs: 200 })).toMatchObject({
    started: false,
    why: expect.stringMatching(/not ready within 0.2 s/),
  })
})
