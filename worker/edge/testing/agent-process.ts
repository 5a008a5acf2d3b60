/** The agent as a process of its own, in a node's home, with that environment and no other. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { COMPILED } from '#server/launch/testing/compiled.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import type { NodeHome } from './home-folder.ts'

const MAIN = path.join(import.meta.dirname, '../main.ts')

export const AGENT_KEY = `agent-${'k'.repeat(43)}`

export type AgentProcess = {
  url: string
  child: ChildProcess
  /** Its log, line by line. */
  lines(): Record<string, unknown>[]
  /** All it wrote, on both outputs. */
  output(): string
  /** Asks it to end and gives its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Runs it to wherever it gets: ready, or ended. On a free port, under `AGENT_KEY`, unless the environment says otherwise; it ends with the test. */
export async function runAgentProcess(
  node: NodeHome,
  env: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<AgentProcess> {
  const own = { MEMBRIDGE_AGENT_PORT: '0', MEMBRIDGE_AGENT_KEY: AGENT_KEY, MEMBRIDGE_NODE_ID: 'test-node' }
  const child = spawn(process.execPath, [MAIN, 'agent', ...args], {
    cwd: node.host.home,
    env: Object.assign(Object.create(null), {
      PATH: '/usr/bin:/bin',
      HOME: node.host.home,
      ...COMPILED,
      ...own,
      ...env,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  const exited = once(child, 'close')
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await exited
    return child.exitCode
  }
  onTestFinished(async () => void (await stop('SIGKILL')))
  const lines = () =>
    text
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  const ready = () => lines().find(({ msg }) => msg === 'ready')
  await waitUntil(() => ready() !== undefined || child.exitCode !== null, { what: 'the agent' })
  return { url: `http://127.0.0.1:${ready()?.port}`, child, lines, output: () => text, stop }
}

export type SentToAgent = { body?: unknown; headers?: Record<string, string> }

/** Sends `POST /path` under the node's key; what is given stands over the headers, and an empty one is not sent. */
export async function callAgent(url: string, address: string, { body, headers = {} }: SentToAgent = {}) {
  const [method = 'GET', at = ''] = address.split(' ')
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const all = { 'x-membridge-agent': AGENT_KEY, ...json, ...headers }
  const answer = await fetch(`${url}${at}`, {
    method,
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) }
}
