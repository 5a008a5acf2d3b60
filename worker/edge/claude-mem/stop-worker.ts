import { setTimeout as pause } from 'node:timers/promises'
import { EdgeFault } from '../fault.ts'
import type { Host } from '../host.ts'
import { callWorker, type FoundWorker, findWorker, type WorkerSettings } from './find-worker.ts'
import { isWorkerAlive, type PidFile, readPidFile } from './worker-process.ts'

/**
 * Stopping the worker before its database is replaced: asked over HTTP, then SIGTERM, then SIGKILL [edge#claude-mem].
 *
 * Stopped means that nothing answers on its port and that the process of `worker.pid` is gone. A signal goes only to the process
 * whose token matches, and is preceded by another look. A worker that neither stops when asked nor can be named is a fault:
 * the database stays as it is. What answers without being identified as claude-mem is left alone and gives `unidentified`: should
 * it have the database open after all, replacing that is refused by its lock.
 */
export type StopOutcome = 'not-running' | 'unidentified' | 'shut-down' | 'terminated' | 'killed'

export type StopLimits = {
  /** How long each way of stopping may take, in milliseconds (5 000). */
  graceMs?: number
}

export async function stopWorker(
  host: Host,
  settings: WorkerSettings,
  { graceMs = 5_000 }: StopLimits = {},
): Promise<StopOutcome> {
  const file = await readPidFile(host)
  const answering = await findWorker(host, settings)
  const found = answering?.identified ? answering : null
  if (!found && !(file && isWorkerAlive(file))) return answering ? 'unidentified' : 'not-running'
  const gone = async () => !(file && isWorkerAlive(file)) && (!found || !(await answers(found)))
  if (found) {
    await callWorker(found.port, '/api/admin/shutdown', 'POST')
    if (await becomes(gone, graceMs)) return 'shut-down'
  }
  for (const [signal, outcome] of [
    ['SIGTERM', 'terminated'],
    ['SIGKILL', 'killed'],
  ] as const) {
    if (file && signalWorker(file, signal) && (await becomes(gone, graceMs))) return outcome
  }
  const where = found ? `on port ${found.port}` : `with process id ${file?.pid}`
  throw new EdgeFault(
    `the claude-mem worker ${where} could not be stopped: end it by hand and run the command again`,
  )
}

const answers = async ({ port }: FoundWorker): Promise<boolean> =>
  (await callWorker(port, '/api/health')) !== null

/** Sends the signal to the process that the file names, if it still is that process. */
function signalWorker(file: PidFile, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  if (!isWorkerAlive(file)) return false
  try {
    process.kill(file.pid, signal)
    return true
  } catch {
    return false
  }
}

async function becomes(check: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs
  for (;;) {
    if (await check()) return true
    if (performance.now() > until) return false
    await pause(50)
  }
}
