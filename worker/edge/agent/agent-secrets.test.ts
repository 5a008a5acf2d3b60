/** What commands are started with, that their callers are answered, and that no key is in an answer or a line, whatever they print. */
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { AGENT_KEY, callAgent } from '../testing/agent-process.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { runAgent } from './run-agent.ts'

const STAND_IN = path.join(import.meta.dirname, '../testing/stand-in-command.ts')
const SECRETS = {
  MINIO_ACCESS_KEY: 'canary-access',
  MINIO_SECRET_KEY: 'canary-secret/+=',
  MEMBRIDGE_ADMIN_KEY: 'canary-admin',
  MEMBRIDGE_SERVER_ADMIN_KEY: 'canary-server',
  MEMBRIDGE_NODE_KEY: `gbk_0123456789abcdef_canary-node${'n'.repeat(32)}`,
  MEMBRIDGE_AGENT_KEY: AGENT_KEY,
}

/** The agent in this process, whose commands are a program that prints all that it is given. */
async function agentOf(manners: 'echo' | 'slow') {
  const node = makeNodeHome({
    ...SECRETS,
    ...{ MEMBRIDGE_AGENT_PORT: '0', MEMBRIDGE_SERVER_URL: 'http://canary-user:canary-password@127.0.0.1:1' },
  })
  const pids = node.path('pids')
  const config = node.write('.claude-mem-minio/config.env', 'MINIO_BUCKET=b\n')
  node.write(
    '.claude-mem-minio/hook.log',
    'old\npush rc=3 canary-admin SECONDARY: push blocked by default.\n',
  )
  const stopping = new AbortController()
  const host = { ...node.host, env: { ...node.host.env, STAND_IN_PIDS: pids } }
  const lines: string[] = []
  const input = {
    ...{ host, given: {}, flags: {}, words: [], stopped: stopping.signal },
    say: (line: string) => void lines.push(line),
  }
  const running = runAgent(input, [process.execPath, STAND_IN, manners])
  const ready = await waitUntil(() => lines.find((line) => line.includes('"msg":"ready"')))
  const end = async () => {
    stopping.abort()
    return await running
  }
  return { url: `http://127.0.0.1:${JSON.parse(ready).port}`, pids, config, lines, end }
}

test('no answer and no line holds a key', async () => {
  const { url, config, lines, end } = await agentOf('echo')
  const answers: string[] = []
  const ask = async (...request: Parameters<typeof callAgent>) => {
    const { text, json } = await callAgent(...request)
    answers.push(text)
    return json
  }
  const body = { project: 'mem' }
  const pulled = JSON.parse((await ask(url, 'POST /pull', { body })).stdout)
  expect(pulled.args).toEqual(['pull', '--project=mem', `--config=${config}`])
  expect(pulled.env).toMatchObject({ MEMBRIDGE_NO_RESTART_WORKER: '1', MEMBRIDGE_AGENT_KEY: '****' })
  const restarting = await ask(url, 'POST /pull', { body: { ...body, no_restart_worker: false } })
  expect(JSON.parse(restarting.stdout).env).not.toHaveProperty('MEMBRIDGE_NO_RESTART_WORKER')
  const pushed = JSON.parse((await ask(url, 'POST /sync/push', { body })).stdout)
  expect([pushed.args[0], pushed.env.MEMBRIDGE_NO_RESTART_WORKER]).toEqual(['push', undefined])
  const status = await ask(url, 'GET /status?project=mem')
  expect(status.last_hook).toBe('push rc=3 **** SECONDARY: push blocked by default.')
  for (const at of ['GET /health', 'GET /projects', 'GET /doctor?project=canary-admin']) await ask(url, at)
  for (const key of ['', AGENT_KEY.slice(1), 'canary-wrong'])
    await ask(url, 'POST /push', { body: '{"canary', headers: { 'x-membridge-agent': key } })
  expect((await end()).exitCode).toBe(0)
  // A name is not a secret: the caller gave it and gets it back.
  const all = [...answers, ...lines]
    .join('\n')
    .replaceAll(/"project":"canary-admin"|project=canary-admin/g, '')
  for (const key of Object.values(SECRETS)) expect(all).not.toContain(key)
  expect(all).not.toMatch(/canary/)
})

test('a command that takes its time to end is waited for, and its caller answered', async () => {
  const { url, pids, end } = await agentOf('slow')
  const answer = callAgent(url, 'POST /push', { body: { project: 'mem' } })
  await waitUntil(() => fs.existsSync(pids))
  const ended = end()
  expect((await answer).json).toMatchObject({ ok: false, detail: expect.stringMatching(/^push was stopped/) })
  expect((await ended).exitCode).toBe(0)
})
