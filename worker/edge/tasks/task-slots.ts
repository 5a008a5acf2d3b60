/**
 * `POST /execute-task`: a task that the runtime calls this node for [edge#work]. The answer is a second channel: the report goes to `runtime_url` as well, and
 * whoever comes first counts. A caller that hangs up ends nothing.
 */
import { randomUUID } from 'node:crypto'
import { access, constants } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { AgentRefusal } from '../agent/agent-refusal.ts'
import type { Settings } from '../config/settings.ts'
import type { Host } from '../host.ts'
import type { RunningTasks } from '../stop-requests.ts'
import { executeTask, type Report } from './execute-task.ts'
import { reportOutcome } from './report-outcome.ts'
import { reporterAt, type Work } from './runtime-client.ts'
import { removeLeftFolders } from './task-folder.ts'
import { rootOf } from './work.ts'

const EXECUTION = z.object({
  task_id: z.string().min(1).max(128),
  prompt: z.string().min(1),
  definition: z.string().optional(),
  context_id: z.string().min(1).max(256),
  agent_slug: z.string().max(64).default(''),
  desired_format: z.enum(['text', 'json', 'markdown']).default('text'),
  context_hints: z.array(z.string().max(512)).max(64).default([]),
  policy: z
    .object({ timeout_sec: z.number().min(1).max(3_600).default(120), budget: z.number().min(0).default(0) })
    .default({ timeout_sec: 120, budget: 0 }),
  runtime_url: z.url({ protocol: /^https?$/ }).max(2_048),
})

export type ExecutionAnswer = {
  ok: boolean
  task_id: string
  output: string | null
  error?: string
  error_code?: string
  duration_ms: number
  returncode: number | null
  context_id: string
  session_messages: 0
  detail: string
}
export type TaskSlots = {
  /** Throws `AgentRefusal`: 400 for what is no task, 429 without a free slot, 503 without a program to run. */
  execute(asked: unknown): Promise<ExecutionAnswer>
  /** Settles when no task runs any more. */
  idle(): Promise<void>
}

type Parts = {
  host: Host
  settings: Settings
  stopping: AbortSignal
  tasks: RunningTasks
  say: (line: string) => void
}

/** How long a lease lasts beyond the time of its task, before its first heartbeat says it. */
const GRACE_SECONDS = 30
const HEARTBEAT_SECONDS = 10

export function createTaskSlots(parts: Parts): TaskSlots {
  const { settings, stopping, tasks } = parts
  const running = new Set<Promise<unknown>>()
  if (settings.MEMBRIDGE_WORK === 'push') void removeLeftFolders()
  return {
    async execute(asked) {
      if (settings.MEMBRIDGE_WORK !== 'push')
        throw new AgentRefusal(503, 'This node is not set to run tasks: MEMBRIDGE_WORK=push.')
      if (stopping.aborted) throw new AgentRefusal(503, 'The agent is shutting down.')
      const parsed = EXECUTION.safeParse(asked)
      if (!parsed.success) throw new AgentRefusal(400, 'invalid_prompt: the request is not that of a task.')
      if (running.size >= settings.MEMBRIDGE_WORK_CONCURRENCY)
        throw new AgentRefusal(429, 'Every slot of this node is taken.', { 'retry-after': '15' })
      const run = execute(parsed.data, parts)
      running.add(run)
      tasks.hold(run)
      return run.finally(() => running.delete(run))
    },
    idle: async () => void (await Promise.allSettled(running)),
  }
}

async function execute(
  asked: z.output<typeof EXECUTION>,
  { host, settings, tasks, say }: Parts,
): Promise<ExecutionAnswer> {
  if (!(await isProgram(settings.CLAUDE_BIN, host)))
    throw new AgentRefusal(503, 'There is no program of CLAUDE_BIN on this node.')
  const { runtime_url, ...job } = asked
  const leaseSeconds = job.policy.timeout_sec + GRACE_SECONDS
  // The lease stands in the address; the name is only that of the file in which an outcome is kept.
  const work: Work = {
    job,
    leaseId: randomUUID(),
    fence: 0,
    leaseSeconds,
    heartbeat_seconds: HEARTBEAT_SECONDS,
  }
  const client = reporterAt(runtime_url)
  say(`task ${job.task_id}: started`)
  const rootById = (id: string) => rootOf({ host, settings }, id)
  const stopped = tasks.givenUp
  const executed = await executeTask({ host, settings, client, rootOf: rootById, stopped }, work)
  await reportOutcome({ host, client, say, runtimeUrl: runtime_url }, work, executed)
  if (executed.kind === 'lost') throw new AgentRefusal(409, 'The lease of this task was lost.')
  return answerOf(executed.report, job)
}

function answerOf(report: Report, { task_id, context_id }: Work['job']): ExecutionAnswer {
  const ok = report.status === 'succeeded'
  return {
    ...{ ok, task_id, context_id, output: report.output ?? null, session_messages: 0 },
    ...(report.error_message ? { error: report.error_message } : {}),
    ...(report.error_code ? { error_code: report.error_code } : {}),
    ...{ duration_ms: report.metrics.duration_ms, returncode: ok ? 0 : null, detail: report.status },
  }
}

/** Whether the program can be started: a path, or a name in `PATH`. */
async function isProgram(file: string, { env, cwd }: Host): Promise<boolean> {
  const folders = file.includes('/') ? [cwd] : (env.PATH ?? '').split(path.delimiter)
  for (const folder of folders) {
    const found = await access(path.resolve(folder, file), constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return true
  }
  return false
}
