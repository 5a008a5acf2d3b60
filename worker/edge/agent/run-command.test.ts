/** Commands that the agent runs: what it keeps of them, and that none outlives its limit. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isAlive } from '#server/launch/process-identity.mjs'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { type CommandLimits, createCommandRunner } from './run-command.ts'

const STAND_IN = path.join(import.meta.dirname, '../testing/stand-in-command.ts')

function runnerOf(limits: Partial<CommandLimits> = {}) {
  const node = makeNodeHome()
  const stopping = new AbortController()
  const runner = createCommandRunner({
    program: [process.execPath, STAND_IN],
    cwd: node.host.home,
    stopped: stopping.signal,
    mask: (text) => text.replaceAll('canary8f2b', '****'),
    limits: { limitMs: 60_000, graceMs: 60_000, atOnce: 2, ...limits },
  })
  const file = node.path('pids')
  const env = { PATH: '/usr/bin:/bin', STAND_IN_PIDS: file }
  const pids = (count: number) =>
    waitUntil(() => {
      const all = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n').map(Number) : []
      return all.length >= count ? all : null
    })
  onTestFinished(() => stopping.abort())
  return { runner, stopping, env, pids, run: (...args: string[]) => runner.run({ args, env }) }
}

test('the end of what a command printed is kept, and its exit code', async () => {
  const end = await runnerOf().run('lines')
  expect(end).toMatchObject({ returncode: 3, ended: 'by itself' })
  const lines = end.stdout.split('\n')
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([200, 'line 800', 'line 999'])
  expect(end.stderr).toBe('SECONDARY: push blocked by default.\nmore')
})

test('a command is asked to end at its limit, and may put things in order', async () => {
  const { run, pids } = runnerOf({ limitMs: 4_000 })
  expect(await run('obedient')).toEqual({
    ...{ returncode: null, stdout: 'lock released', stderr: '', ended: 'at the limit' },
  })
  for (const pid of await pids(1)) expect(isAlive(pid)).toBe(false)
})

test('a command that does not end is killed, with all that it started', async () => {
  const { run, pids } = runnerOf({ limitMs: 5_000, graceMs: 200 })
  const end = run('stubborn')
  const started = await pids(2)
  expect(started.map(isAlive)).toEqual([true, true])
  expect(await end).toMatchObject({ returncode: null, ended: 'at the limit' })
  await waitUntil(() => started.every((pid) => !isAlive(pid)), { timeoutMs: 5_000 })
})

test('what outlives its command is killed', async () => {
  const { run, pids } = runnerOf()
  expect(await run('leaver')).toMatchObject({ returncode: 0, ended: 'by itself' })
  const started = await pids(2)
  await waitUntil(() => started.every((pid) => !isAlive(pid)), { timeoutMs: 5_000 })
})

test('a command ends when the agent is killed', async () => {
  const { env, pids } = runnerOf()
  const agent = spawn(process.execPath, [STAND_IN, 'agent'], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  })
  const started = await pids(2)
  onTestFinished(() => {
    for (const pid of started.filter(isAlive)) process.kill(pid, 'SIGKILL')
  })
  agent.kill('SIGKILL')
  await waitUntil(() => started.every((pid) => !isAlive(pid)), { timeoutMs: 10_000 })
})

test('more than may run at once are refused, and none is started while the agent ends', async () => {
  const { run, runner, stopping, pids } = runnerOf()
  const two = [run('obedient'), run('obedient')]
  await pids(2)
  await expect(run('lines')).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '30' } })
  expect(runner.running()).toBe(2)
  stopping.abort()
  await expect(run('lines')).rejects.toMatchObject({ status: 503 })
  await runner.idle()
  for (const end of await Promise.all(two))
    expect(end).toMatchObject({ ended: 'with the agent', stdout: 'lock released' })
})

test('a command that cannot be started is a refusal without a path', async () => {
  const runner = createCommandRunner({
    ...{ program: ['/nowhere/node'], cwd: '/', stopped: new AbortController().signal, mask: String },
  })
  await expect(runner.run({ args: [], env: {} })).rejects.toMatchObject({
    status: 500,
    detail: 'The command could not be started (ENOENT).',
  })
})
