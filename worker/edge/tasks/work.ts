/**
 * `membridge work`: fetches LLM Tasks and runs them, as many at a time as it is set to [edge#work].
 *
 * Nothing calls this node: it asks, and holds the question open. What could not be reported is kept until its lease is over. Asked to stop, it fetches no
 * more, says at once that it leaves, and lets the tasks under way come to their end; asked again, it stops them and reports that.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { osInfo } from '../agent/node-facts.ts'
import type { Settings } from '../config/settings.ts'
import type { Host } from '../host.ts'
import { projectsFile, readProjects } from '../ledger/project-registry.ts'
import { type RunningTasks, UNASKED } from '../stop-requests.ts'
import { VERSION } from '../version.ts'
import { executeTask } from './execute-task.ts'
import { reportKept, reportOutcome } from './report-outcome.ts'
import { whenAborted } from './run-program.ts'
import type { RuntimeClient, Work } from './runtime-client.ts'
import { removeLeftFolders } from './task-folder.ts'

const WAIT_MS = 25_000
const AGAIN_MS = 5_000
const REGISTER_MS = 20_000

export type WorkParts = {
  host: Host
  settings: Settings
  client: RuntimeClient
  stopped: AbortSignal
  tasks?: RunningTasks
  say: (line: string) => void
  /** Ends after one task, or when there is none. */
  once?: boolean
}

/** Returns how many tasks were run. */
export async function work(parts: WorkParts): Promise<number> {
  const { client, settings, stopped, tasks = UNASKED, say, once = false } = parts
  const leaving = whenAborted(stopped)
  const running = new Set<Promise<void>>()
  let ran = 0
  let registered: { id: string; at: number } | null = null
  await removeLeftFolders()
  while (!stopped.aborted) {
    await reportKept(parts)
    if (!registered || performance.now() - registered.at > REGISTER_MS) {
      const answer = await client.register(aboutThis(parts, 'online'), stopped)
      if ('why' in answer) {
        say(`the runtime does not take this worker: ${answer.why}`)
        if (once) break
        await pause(AGAIN_MS, undefined, { signal: stopped }).catch(() => {})
        continue
      }
      registered = { id: answer.id, at: performance.now() }
    }
    if (running.size >= settings.MEMBRIDGE_WORK_CONCURRENCY) {
      await Promise.race([...running, leaving])
      continue
    }
    const fetched: Work | null | { why: string } = await client.fetch(
      registered.id,
      once ? 0 : WAIT_MS,
      stopped,
    )
    if (fetched === null) {
      if (once) break
      continue
    }
    if ('why' in fetched) {
      say(`no work could be fetched: ${fetched.why}`)
      registered = null
      if (once) break
      await pause(AGAIN_MS, undefined, { signal: stopped }).catch(() => {})
      continue
    }
    ran++
    const one: Promise<void> = perform(parts, fetched)
      .catch((error: Error) =>
        say(`task ${fetched.job.task_id} failed here: ${client.redactor.text(error.message)}`),
      )
      .finally(() => running.delete(one))
    running.add(one)
    tasks.hold(one)
    if (once) break
  }
  await Promise.race([Promise.all(running), leaving])
  if (stopped.aborted) await client.register(aboutThis(parts, 'offline'), AbortSignal.timeout(AGAIN_MS))
  await Promise.all(running)
  return ran
}

/** What a node says of itself when it registers; `url` where it is called. */
export const aboutThis = (
  { host, settings }: Pick<WorkParts, 'host' | 'settings'>,
  status: 'online' | 'offline',
  url: string | null = null,
) => ({
  url,
  name: settings.MEMBRIDGE_NODE_ID ?? host.name,
  status,
  agent_version: VERSION,
  os_info: osInfo(host),
  install_method: 'membridge work',
  capabilities: {
    claude_cli: true,
    max_concurrency: settings.MEMBRIDGE_WORK_CONCURRENCY,
    labels: settings.MEMBRIDGE_WORK_LABELS,
    features: { context_hints: true, definition: true },
  },
})

async function perform(parts: WorkParts, fetched: Work): Promise<void> {
  const { job } = fetched
  parts.say(`task ${job.task_id}: started`)
  const stopped = (parts.tasks ?? UNASKED).givenUp
  const executed = await executeTask({ ...parts, rootOf: (id) => rootOf(parts, id), stopped }, fetched)
  await reportOutcome(parts, fetched, executed)
}

export async function rootOf(
  { host, settings }: Pick<WorkParts, 'host' | 'settings'>,
  contextId: string,
): Promise<string | null> {
  const { projects } = await readProjects(projectsFile(host, settings))
  const project = projects.find(
    ({ canonical_id, project_id }) => contextId === canonical_id || contextId === project_id,
  )
  return project?.path ?? null
}
