import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { makeNodeHome, type NodeHome } from '../testing/node-home.ts'
import { runEdge } from '../testing/run-edge.ts'
import { runProgram } from '../testing/run-program.ts'
import { hookScripts, PULL_HOOK, PUSH_HOOK } from './hook-scripts.ts'

const LOG = '.claude-mem-minio/hook.log'
const SHELLS = ['/bin/dash', '/bin/bash'].filter((shell) => fs.existsSync(shell))
const envOf = (node: NodeHome, more: Record<string, string> = {}) => ({
  PATH: '/usr/bin:/bin',
  HOME: node.path(),
  ...more,
})
const logOf = (node: NodeHome) => fs.readFileSync(node.path(LOG), 'utf8')
/** The log's line is the last thing but one: a push goes on behind its hook. */
const logged = (node: NodeHome) =>
  waitUntil(() => fs.readdirSync(node.path('.claude-mem-minio')).join() === 'hook.log')
const QUIET = { code: 0, stdout: '', stderr: '' }

/** A hook of a node whose `membridge` is this script. */
function hookOver(node: NodeHome, membridge: string, name = PULL_HOOK): string {
  const program = node.write("bin/it's membridge", `#!/bin/sh\n${membridge}\n`, 0o755)
  return node.write(`bin/${name}`, hookScripts([program])[name] ?? '', 0o755)
}

const TIME = String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ `

test.each(
  SHELLS.flatMap((shell) => [[shell, 'pull', PULL_HOOK] as const, [shell, 'push', PUSH_HOOK] as const]),
)(
  '%s: the %s hook of an installed node ends with 0 though the store is away; the log has the real code',
  async (shell, action, name) => {
    const node = makeNodeHome()
    const bin = node.path("my bin's")
    const { code, stdout } = await runEdge(node, ['hooks', 'install', '--bin', bin])
    expect(code).toBe(0)
    expect(stdout).toContain(`wrote ${path.join(bin, name)}`)
    const env = envOf(node, {
      MINIO_ENDPOINT: 'http://127.0.0.1:9',
      MINIO_SECRET_KEY: 'canary5d2e',
      CLAUDE_PROJECT_ID: 'mem',
    })
    const input = '{"session_id": "canary5d2e"}'
    const options = { cwd: node.path(), env, input }
    expect(await runProgram(shell, [path.join(bin, name)], options)).toEqual(QUIET)
    await logged(node)
    expect(logOf(node)).toMatch(new RegExp(`${TIME}${action} rc=1 failed: ERROR: .+\n$`))
    expect(logOf(node)).not.toContain('canary5d2e')
    expect(fs.statSync(node.path(LOG)).mode & 0o777).toBe(0o600)
    expect(fs.readdirSync(node.path('.claude-mem-minio'))).toEqual(['hook.log'])
  },
)

const SAYS_WHICH = 'echo "$*" >>"$HOME/calls"; [ "$1" = register ] && exit 1; '
test.each([
  ['echo "RESULT: already up to date"', 'rc=0 done: RESULT: already up to date'],
  [
    'echo looking >&2; echo "PRIMARY: refusing x" >&2; echo "Next: y" >&2; exit 2',
    'rc=2 skipped: PRIMARY: refusing x',
  ],
  [
    'echo "SECONDARY: push blocked by default." >&2; exit 3',
    'rc=3 skipped: SECONDARY: push blocked by default.',
  ],
  ['echo "STALE LOCK — stealing" >&2; echo "last words" >&2; exit 1', 'rc=1 failed: last words'],
  ['exit 7', 'rc=7 failed: '],
])('%s is %s', async (does, logged) => {
  const node = makeNodeHome()
  const hook = hookOver(node, SAYS_WHICH + does)
  expect(await runProgram('/bin/sh', [hook], { cwd: node.path(), env: envOf(node) })).toEqual(QUIET)
  expect(logOf(node)).toMatch(new RegExp(TIME))
  expect(logOf(node).replace(new RegExp(`${TIME}pull `), '')).toBe(`${logged}\n`)
  expect(fs.readFileSync(node.path('calls'), 'utf8')).toBe(
    `register --path ${node.path()}\npull --no-restart-worker\n`,
  )
})

test('a push goes on behind its hook; one hook waits for a push at work, and for all that came meanwhile', async () => {
  const node = makeNodeHome()
  const busy = 'ERROR: another push or pull of m.db is running: wait for it to end and run the command again'
  const hook = hookOver(
    node,
    `[ "$1" = register ] && exit; echo >>"$HOME/tries"; [ -f "$HOME/done" ] && exit; echo "${busy}" >&2; exit 1`,
    PUSH_HOOK,
  )
  const stop = () => runProgram('/bin/sh', [hook], { cwd: node.path(), env: envOf(node) })
  expect(await stop()).toEqual(QUIET)
  await waitUntil(() => fs.existsSync(node.path('.claude-mem-minio/.push-waits')))
  expect(fs.existsSync(node.path(LOG))).toBe(false)
  expect(await stop()).toEqual(QUIET)
  await waitUntil(() => fs.existsSync(node.path(LOG)))
  expect(logOf(node)).toMatch(new RegExp(`${TIME}push rc=1 skipped: ${busy}\n$`))
  node.write('done', '')
  await waitUntil(() => logOf(node).endsWith('push rc=0 done: \n'))
  await logged(node)
})

test('a hook of settings that were named has their place', async () => {
  const node = makeNodeHome()
  const config = node.write("my node's.env", 'CLAUDE_PROJECT_ID=named-in-file\n')
  await runEdge(node, ['hooks', 'install', '--config', config])
  const status = node.path('.local/bin/claude-mem-status')
  const { stdout } = await runProgram('/bin/sh', [status], { cwd: '/', env: envOf(node) })
  expect(stdout).toContain('project_name: named-in-file\n')
})

test('a program that is gone is logged with the code of the shell', async () => {
  const node = makeNodeHome()
  const hook = hookOver(node, 'exit 0')
  fs.rmSync(node.path("bin/it's membridge"))
  expect(await runProgram('/bin/sh', [hook], { cwd: node.path(), env: envOf(node) })).toEqual(QUIET)
  expect(logOf(node)).toMatch(/pull rc=127 failed: .*not found/)
})

test('an agent that does not answer costs 2 s and no more', async () => {
  const node = makeNodeHome()
  const hook = hookOver(node, '[ "$1" = register ] && exec sleep 60; exit 0')
  const begun = performance.now()
  await runProgram('/bin/sh', [hook], { cwd: node.path(), env: envOf(node) })
  expect(performance.now() - begun).toBeLessThan(10_000)
  expect(logOf(node)).toContain('rc=0 done')
})

test('a hook that is asked to stop passes it on and logs how the command ended', async () => {
  const node = makeNodeHome()
  const hook = hookOver(
    node,
    `[ "$1" = register ] && exit; trap 'echo "ERROR: stopped in order" >&2; exit 130' TERM; : >"$HOME/on"; while :; do sleep 0.1; done`,
  )
  const child = spawn('/bin/sh', [hook], {
    env: envOf(node) as unknown as NodeJS.ProcessEnv,
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  await waitUntil(() => fs.existsSync(node.path('on')), { what: 'the command', timeoutMs: 20_000 })
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(logOf(node)).toContain('rc=130 failed: ERROR: stopped in order')
})

test('the log is begun anew at 5 MiB, and two older ones are kept', async () => {
  const node = makeNodeHome()
  const hook = hookOver(node, 'exit 0')
  const full = (letter: string) => node.write(LOG, letter.repeat(5 * 1024 * 1024 + 1))
  for (const letter of ['a', 'b', 'c']) {
    full(letter)
    await runProgram('/bin/sh', [hook], { cwd: node.path(), env: envOf(node) })
    expect(logOf(node)).toMatch(new RegExp(`${TIME}pull rc=0 done: \n$`))
  }
  const firstOf = (name: string) => fs.readFileSync(node.path(name), 'utf8').slice(0, 1)
  expect([firstOf(`${LOG}.1`), firstOf(`${LOG}.2`)]).toEqual(['c', 'b'])
  expect(fs.readdirSync(node.path('.claude-mem-minio')).sort()).toEqual([
    'hook.log',
    'hook.log.1',
    'hook.log.2',
  ])
})

test('install, with the settings, then remove: all is as before', async () => {
  const node = makeNodeHome()
  const settings = '{\n  "model": "opus"\n}\n'
  node.write('.claude/settings.json', settings, 0o644)
  const install = await runEdge(node, ['hooks', 'install', '--write', '--json'])
  const { written, backup } = JSON.parse(install.stdout)
  expect(written).toHaveLength(6)
  for (const file of written) expect(fs.statSync(file).mode & 0o777).toBe(0o755)
  expect(fs.readFileSync(backup, 'utf8')).toBe(settings)
  const doctor = await runEdge(node, ['doctor', '--json'])
  expect(JSON.parse(doctor.stdout).hooks).toEqual({ verdict: 'OK', pull: true, push: true })
  const mine = node.write('.local/bin/claude-mem-pull', '#!/bin/sh\necho mine\n', 0o755)
  const remove = await runEdge(node, ['hooks', 'remove', '--write'])
  expect(remove.stdout).toContain(`left ${mine}: it was not written by membridge`)
  expect(fs.readdirSync(node.path('.local/bin'))).toEqual(['claude-mem-pull'])
  expect(fs.readFileSync(node.path('.claude/settings.json'), 'utf8')).toBe(settings)
  expect(fs.statSync(node.path('.claude/settings.json')).mode & 0o777).toBe(0o644)
})

test('a session that runs a hook of another folder keeps it, and the person hears what to do', async () => {
  const node = makeNodeHome()
  await runEdge(node, ['hooks', 'install', '--bin', node.path('old'), '--write'])
  const { stdout } = await runEdge(node, ['hooks', 'install', '--write'])
  expect(stdout).toContain(
    `not added: a session already runs ${node.path('old', PULL_HOOK)}; remove that line and run the command again\n`,
  )
})

test('a script of somebody else and settings that are no JSON are refused before anything is written', async () => {
  const node = makeNodeHome()
  const mine = node.write('.local/bin/claude-mem-status', 'echo mine\n', 0o755)
  const taken = await runEdge(node, ['hooks', 'install'])
  expect(taken).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${mine} was not written by membridge`),
  })
  node.write('.claude/settings.json', '{ // mine\n}')
  const broken = await runEdge(node, ['hooks', 'install', '--bin', node.path('b'), '--write'])
  expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('no JSON of the known form') })
  expect(fs.readdirSync(node.path()).sort()).toEqual(['.claude', '.local'])
  expect(fs.readdirSync(node.path('.local/bin'))).toEqual(['claude-mem-status'])
})

test('print shows the lines and writes nothing', async () => {
  const node = makeNodeHome()
  const { code, stdout } = await runEdge(node, ['hooks', 'print'], { MEMBRIDGE_HOOKS_BIN: '~/b' })
  expect(code).toBe(0)
  expect(JSON.parse(stdout).hooks.Stop[0].hooks[0].command).toBe(node.path('b/claude-mem-hook-push'))
  expect(fs.readdirSync(node.path())).toEqual([])
})
