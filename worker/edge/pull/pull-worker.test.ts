import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isAlive } from '#server/launch/process-identity.mjs'
import { findWorker } from '../claude-mem/find-worker.ts'
import { stopWorker } from '../claude-mem/stop-worker.ts'
import { type Child, startChild } from '../testing/child.ts'
import { titlesOf } from '../testing/memory-file.ts'
import { openPullRoom, type PullRoom } from '../testing/pull-room.ts'

const STAND_IN = path.join(import.meta.dirname, '../testing/stand-in-worker.ts')

/** A worker at work, on a port of which only its pid file tells. */
const startStandIn = ({ env }: PullRoom, manners: string): Promise<Child> =>
  startChild('stand-in-worker.ts', [manners], { HOME: env.HOME ?? '', CLAUDE_MEM_WORKER_PORT: '0' })

/** A plugin, and a bun that runs a script instead; whatever it leaves is stopped with the test. */
function installPlugin({ node, env }: PullRoom, script: string): Record<string, string> {
  const folder = node.path('plugin')
  node.write('plugin/scripts/worker-service.cjs', '')
  node.write('bin/bun', `#!/bin/sh\n${script}\n`, 0o755)
  node.write(
    '.claude/plugins/installed_plugins.json',
    JSON.stringify({ plugins: { 'claude-mem@thedotmack': [{ installPath: folder }] } }),
  )
  onTestFinished(() => stopWorker({ ...node.host, uid: 99 }, {}, { graceMs: 300 }).then(() => {}))
  return { ...env, PATH: `${node.path('bin')}:/usr/bin:/bin`, CLAUDE_MEM_WORKER_PORT: '' }
}
const RUN = `CLAUDE_MEM_WORKER_PORT=0 exec ${process.execPath} ${STAND_IN} obedient`

test('the worker is stopped before the backup, and another one is ready at the end', async () => {
  const room = await openPullRoom({ rows: 3 })
  await room.push({ rows: 9 })
  const env = installPlugin(room, RUN)
  const worker = await startStandIn(room, 'obedient')
  const seen: string[] = []
  const onStep = (step: string) => seen.push(`${step} ${isAlive(worker.pid) ? 'alive' : 'gone'}`)
  expect((await room.pullWith({ env, onStep })).exitCode).toBe(0)
  expect(seen.filter((step) => /^(stop-worker|backup|start-worker)/.test(step))).toEqual([
    'stop-worker alive',
    'backup gone',
    'start-worker gone',
  ])
  const now = await findWorker({ ...room.node.host, uid: 99 }, {})
  expect(now?.pid).not.toBe(worker.pid)
  expect(now?.identified).toBe(true)
  expect(titlesOf(room.database)).toHaveLength(9)
})

test.each([[{ flags: { 'no-restart-worker': true } }], [{ env: { MEMBRIDGE_NO_RESTART_WORKER: '1' } }]])(
  'is told to leave the worker stopped (%j)',
  async ({
    flags = {},
    env: more = {},
  }: {
    flags?: Record<string, boolean>
    env?: Record<string, string>
  }) => {
    const room = await openPullRoom({ rows: 3 })
    await room.push({ rows: 9 })
    const env = { ...installPlugin(room, `touch ${room.node.path('started')}; ${RUN}`), ...more }
    const worker = await startStandIn(room, 'obedient')
    expect((await room.pullWith({ flags, env })).exitCode).toBe(0)
    expect(isAlive(worker.pid)).toBe(false)
    expect(fs.existsSync(room.node.path('started'))).toBe(false)
  },
  20_000,
)

test('a worker that was not at work is not started', async () => {
  const room = await openPullRoom({ rows: 3 })
  await room.push({ rows: 9 })
  const env = installPlugin(room, `touch ${room.node.path('started')}; ${RUN}`)
  expect((await room.pullWith({ env })).exitCode).toBe(0)
  expect(fs.existsSync(room.node.path('started'))).toBe(false)
})

test('a worker that is at work is left alone when there is nothing to pull', async () => {
  const room = await openPullRoom({ rows: 9 })
  await room.push({ rows: 9 })
  const env = installPlugin(room, RUN)
  const worker = await startStandIn(room, 'obedient')
  expect((await room.pullWith({ env })).stdout).toMatch(/^RESULT: already up to date\n/)
  expect(isAlive(worker.pid)).toBe(true)
})

test('a worker that cannot be stopped ends the pull before anything', async () => {
  const room = await openPullRoom({ rows: 3 })
  await room.push({ rows: 9 })
  const worker = await startStandIn(room, 'nameless')
  const { exitCode, stderr } = await room.pullWith({ env: { CLAUDE_MEM_WORKER_PORT: worker.line } })
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^ERROR: the claude-mem worker .* could not be stopped: end it by hand/),
  ])
  expect(titlesOf(room.database)).toHaveLength(3)
  expect(fs.existsSync(room.node.path('.claude-mem/backups'))).toBe(false)
}, 20_000)

test('a worker that does not come back is told, with the data in place', async () => {
  const room = await openPullRoom({ rows: 3 })
  await room.push({ rows: 9 })
  await startStandIn(room, 'obedient')
  const { exitCode, stderr } = await room.pullWith({ env: { PATH: '/nowhere', HOME: room.env.HOME ?? '' } })
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^ERROR: data is in place, but the claude-mem worker was stopped and not started again: .*diagnose\n$/,
    ),
  ])
  expect(titlesOf(room.database)).toHaveLength(9)
  expect((await room.pull()).stdout).toMatch(/^RESULT: already up to date\n/)
})

test('a pull that fails after the worker was stopped starts it again', async () => {
  const room = await openPullRoom({ rows: 3 })
  await room.push({ rows: 9 })
  const env = installPlugin(room, RUN)
  await startStandIn(room, 'obedient')
  const other = await startChild('live-writer.ts', [room.database, 'hold'])
  const { exitCode, stderr } = await room.pullWith({ env, flags: { 'accept-local-loss': true } })
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/(locked|in use) by another process/)])
  expect((await findWorker({ ...room.node.host, uid: 99 }, {}))?.identified).toBe(true)
  await other.kill()
  expect(titlesOf(room.database)).toHaveLength(4)
}, 20_000)
