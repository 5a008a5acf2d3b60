import { spawn } from 'node:child_process'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { reasonOf } from '../fault.ts'
import { foreignEnvironment, type Host } from '../host.ts'
import { findBun } from './bun.ts'
import { callWorker, findWorker, type WorkerSettings } from './find-worker.ts'
import { findPlugin } from './plugin.ts'

/**
 * Starting the worker after a pull: detached, without pipes to this process, from the plugin that is installed [edge#claude-mem].
 *
 * The outcome is a sentence, never a fault: by then the data is in place. The worker gets no key of the node: it needs none, and
 * what it starts would inherit it.
 */
export type StartOutcome = { started: true; port: number } | { started: false; why: string }

export async function startWorker(
  host: Host,
  settings: WorkerSettings,
  { readyMs = 15_000 }: { readyMs?: number } = {},
): Promise<StartOutcome> {
  const plugin = findPlugin(host)
  if (!plugin) return { started: false, why: 'the claude-mem plugin was not found; run membridge diagnose' }
  const bun = findBun(host)
  if (!bun) return { started: false, why: 'bun was not found; run membridge diagnose' }
  const port = settings.CLAUDE_MEM_WORKER_PORT
  const env = foreignEnvironment(host, port === undefined ? {} : { CLAUDE_MEM_WORKER_PORT: String(port) })
  const fault = await launch(bun, plugin.folder, env)
  if (fault) return { started: false, why: `bun could not be started: ${fault}` }
  const until = performance.now() + readyMs
  do {
    const worker = await findWorker(host, settings)
    const ready = worker?.identified && (await callWorker(worker.port, '/api/readiness'))
    if (ready && ready.status === 200) return { started: true, port: worker.port }
    await pause(100)
  } while (performance.now() < until)
  return {
    started: false,
    why: `the worker was not ready within ${readyMs / 1000} s; start claude to try again`,
  }
}

/** Why the process could not be started, or null. */
function launch(bun: string, folder: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const script = path.join(folder, 'scripts/worker-service.cjs')
  const child = spawn(bun, [script, '--daemon'], { cwd: folder, env, detached: true, stdio: 'ignore' })
  child.unref()
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(null))
    child.once('error', (error) => resolve(reasonOf(error)))
  })
}
