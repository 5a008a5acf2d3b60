import { z } from 'zod'
import type { Settings } from '../config/settings.ts'
import type { Host } from '../host.ts'
import { type PidFile, readPidFile } from './worker-process.ts'

/**
 * The claude-mem worker of this account, found and never assumed [edge#claude-mem].
 *
 * Ports are asked in the order variable, pid file, computed (37700 + uid % 100), old default; the first that answers
 * `/api/health` as claude-mem does is the worker. A worker whose process belongs to another account is passed over.
 *
 * Any program may listen on these ports and answer with a status. It is identified as the worker when it is the process of
 * `worker.pid`, or says as claude-mem does whether it is initialized and in which process of this account it runs. One
 * that is not identified is reported, and never stopped; one that is identified goes before it.
 */
export type PortSource = 'CLAUDE_MEM_WORKER_PORT' | 'worker.pid' | 'computed' | 'default'
export type FoundWorker = {
  port: number
  from: PortSource
  status: string
  /** Null where the worker does not say. */
  version: string | null
  pid: number | null
  /** Whether it is known to be claude-mem's, so that it may be stopped. */
  identified: boolean
}

const OLD_DEFAULT = 37_777
const ANSWER_MS = 2_000

const HEALTH = z.object({
  status: z.string(),
  pid: z.int().positive().optional().catch(undefined),
  version: z.string().optional().catch(undefined),
  initialized: z.boolean().optional().catch(undefined),
})
const VERSION = z.object({ version: z.string() })

export type WorkerSettings = Pick<Settings, 'CLAUDE_MEM_WORKER_PORT'>

/** Where a worker may listen, in the order they are asked; each port once. */
export async function workerPorts(
  host: Host,
  settings: WorkerSettings,
): Promise<{ port: number; from: PortSource }[]> {
  const named = settings.CLAUDE_MEM_WORKER_PORT
  const written = (await readPidFile(host))?.port
  const all = [
    ...(named === undefined ? [] : [{ port: named, from: 'CLAUDE_MEM_WORKER_PORT' as const }]),
    ...(written === undefined ? [] : [{ port: written, from: 'worker.pid' as const }]),
    { port: 37_700 + (host.uid % 100), from: 'computed' as const },
    { port: OLD_DEFAULT, from: 'default' as const },
  ]
  return all.filter(({ port }, n) => all.findIndex((other) => other.port === port) === n)
}

/** The worker that answers: the first that is identified, else the first, or null. */
export async function findWorker(host: Host, settings: WorkerSettings): Promise<FoundWorker | null> {
  const file = await readPidFile(host)
  let unidentified: FoundWorker | null = null
  for (const { port, from } of await workerPorts(host, settings)) {
    const health = HEALTH.safeParse(await askWorker(port, '/api/health'))
    if (!health.success || reachOf(health.data.pid) === 'foreign') continue
    const version = VERSION.safeParse(await askWorker(port, '/api/version'))
    const worker = {
      port,
      from,
      status: health.data.status,
      version: version.success ? version.data.version : (health.data.version ?? null),
      pid: health.data.pid ?? null,
      identified: isIdentified(health.data, file),
    }
    if (worker.identified) return worker
    unidentified ??= worker
  }
  return unidentified
}

function isIdentified({ pid, initialized }: z.infer<typeof HEALTH>, file: PidFile | null): boolean {
  if (pid === undefined || reachOf(pid) !== 'own') return false
  return initialized !== undefined || file?.pid === pid
}

/** The JSON that the worker answers with, whatever its status; null when there is none within 2 s. */
export async function askWorker(
  port: number,
  path: string,
  method: 'GET' | 'POST' = 'GET',
): Promise<unknown> {
  return (await callWorker(port, path, method))?.body ?? null
}

/** Status and JSON of an answer; null when nothing answers. */
export async function callWorker(
  port: number,
  path: string,
  method: 'GET' | 'POST' = 'GET',
): Promise<{ status: number; body: unknown } | null> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    const text = await answer.text()
    return { status: answer.status, body: parseJson(text) }
  } catch {
    return null
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Whether this account may signal the process; `unknown` when none is named or it does not exist. */
function reachOf(pid: number | undefined): 'own' | 'foreign' | 'unknown' {
  try {
    if (pid === undefined) return 'unknown'
    process.kill(pid, 0)
    return 'own'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'foreign' : 'unknown'
  }
}
