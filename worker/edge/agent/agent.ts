import type { Redactor } from '#domain/secret/redact.rules.ts'
import type { LoadedSettings } from '../config/settings.ts'
import type { Host } from '../host.ts'
import type { RunningTasks } from '../stop-requests.ts'
import type { TaskSlots } from '../tasks/task-slots.ts'
import type { AgentLog, LineLimit } from './agent-log.ts'
import type { LastAnswers } from './beat-round.ts'
import type { CommandRunner } from './run-command.ts'

/** What the routes of a running agent share. */
export type Agent = {
  host: Host
  loaded: LoadedSettings
  nodeId: string
  /** File of the registered projects. */
  registry: string
  runner: CommandRunner
  /** The tasks that this node is called for. */
  slots: TaskSlots
  /** What tasks under way are owed when the agent ends. */
  tasks: RunningTasks
  lastAnswers: LastAnswers
  log: AgentLog
  lines: LineLimit
  redactor: Redactor
  /** Ends the agent in order, with this exit code. */
  end: (exitCode: number) => void
  /** Aborted when the agent ends: answers from then on close their connection. */
  stopping: AbortSignal
  /** On the monotonic clock, in milliseconds. */
  startedAt: number
}
