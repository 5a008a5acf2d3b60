import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

export type AgentSeen = { at: string; key: string | null; id: string | null; body: unknown }
export type TestAgent = {
  /** Behind it stands how the agent behaves: `${url}/ok`, `${url}/hangs` (`agent-process.ts`). */
  url: string
  seen(): Promise<AgentSeen[]>
  stop(): Promise<void>
}

/** Starts an agent in a process of its own. */
export async function runTestAgent(): Promise<TestAgent> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'agent-process.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const [line] = await once(child.stdout, 'data')
  const url = String(line).trim()
  return {
    url,
    seen: async () => (await fetch(`${url}/seen`)).json() as Promise<AgentSeen[]>,
    stop: async () => {
      child.stdin.end()
      await exited
    },
  }
}
