/** The control plane as a process of its own, as the launcher starts it: under its database role, with its own secrets and no other. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '#server/launch/ports.mjs'
import { COMPILED } from '#server/launch/testing/compiled.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'

const KEY = 'k'.repeat(43)
export const ADMIN_KEY = `admin-${KEY}`

export type ControlPlaneProcess = {
  url: string
  child: ChildProcess
  /** Its log, line by line. */
  lines(): Record<string, unknown>[]
  output(): string
  /** Asks it to end and gives its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** The whole environment of the process: nothing of ours leaks into it. */
export const controlPlaneEnv = (variables: Record<string, string>): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  BLOOM_ADDRESS_KEY: `address-${KEY}`,
  MEMBRIDGE_ADMIN_KEY: ADMIN_KEY,
  MEMBRIDGE_AGENT_KEY: `agent-${KEY}`,
  MEMBRIDGE_CALLBACK_TOKEN: `callback-${KEY}`,
  MEMBRIDGE_CALLBACK_SIGNING_KEY: `signing-${KEY}`,
  LOG_LEVEL: 'debug',
  ...variables,
})

/** Runs it to wherever it gets: ready, or ended. Its home is its own and ends with it, unless one is given. */
export async function runControlPlane(variables: Record<string, string>): Promise<ControlPlaneProcess> {
  const port = variables.MEMBRIDGE_PORT ?? String(await freePort())
  const home = await mkdtemp(path.join(tmpdir(), 'bloom-control-plane-'))
  const env = controlPlaneEnv({ BLOOM_HOME: home, ...variables, MEMBRIDGE_PORT: port })
  const child = spawn(process.execPath, ['server/control-plane/main.ts'], {
    env: { ...env, ...COMPILED } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
  const exited = once(child, 'close').then(() => rm(home, { recursive: true, force: true }))
  await waitUntil(() => /"msg":"ready"/.test(text) || child.exitCode !== null, {
    what: 'the control plane',
    timeoutMs: 60_000,
  })
  return {
    url: `http://127.0.0.1:${port}`,
    child,
    output: () => text,
    lines: () =>
      text
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line)),
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode === null) child.kill(signal)
      await exited
      return child.exitCode
    },
  }
}
