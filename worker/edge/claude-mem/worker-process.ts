import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { isAlive, startOf } from '#server/launch/process-identity.mjs'
import type { Host } from '../host.ts'

/**
 * The worker's `worker.pid`: `{pid, port, startedAt, startToken}` [edge#claude-mem].
 *
 * A process id is used again, so it proves nothing by itself. The token is the moment the process began, as the system counts
 * it; only a process that lives and began then is the worker, and only that one is ever signalled. Files of older versions
 * have no token: their process is never signalled.
 */
const PID_FILE = z.object({
  pid: z.int().positive(),
  port: z.int().min(1).max(65_535).optional(),
  startToken: z.string().min(1).optional(),
})

export type PidFile = z.infer<typeof PID_FILE>

export const pidFileOf = ({ home }: Pick<Host, 'home'>): string => path.join(home, '.claude-mem/worker.pid')

/** What the file says, or null when there is none that can be read. */
export async function readPidFile(host: Pick<Host, 'home'>): Promise<PidFile | null> {
  try {
    return PID_FILE.parse(JSON.parse(await readFile(pidFileOf(host), 'utf8')))
  } catch {
    return null
  }
}

/** Whether the process that wrote the file lives: the id, and the moment it began. */
export const isWorkerAlive = ({ pid, startToken }: PidFile): boolean =>
  startToken !== undefined && isAlive(pid) && startOf(pid) === startToken
