import type { Host } from '../host.ts'
import type { RunningTasks } from '../stop-requests.ts'

/** What a command gives back: lines for a person, one JSON value for a program, and the exit code of both. */
export type CommandResult = { exitCode: number; lines: string[]; json: unknown }

export type CommandInput = {
  host: Host
  given: { project?: string; config?: string }
  /** The command's own options, as `options` declares them. */
  flags: Readonly<Record<string, string | boolean | undefined>>
  /** What stands behind the command's name: as many as `words` names. */
  words: readonly string[]
  /** Tells whoever waits what goes on; on the error output, at once. */
  say: (line: string) => void
  /** Aborted when the process is asked to stop. */
  stopped: AbortSignal
  /** What a command that runs LLM Tasks owes them when the process is asked to stop. */
  tasks?: RunningTasks
}

/** A command of the node's command line [edge#commands]. Throws `EdgeFault` for what the person can put right. */
export type Command = {
  name: string
  /** Names under which tools of today know it. */
  aliases: readonly string[]
  summary: string
  /** Options besides those that all commands take. */
  options?: Readonly<Record<string, { type: 'string' | 'boolean' }>>
  /** Words that must follow the name, as the usage shows them. */
  words?: readonly string[]
  /** Ends by itself soon after `stopped`; any other command is left where it stands. */
  endsWhenStopped?: true
  run: (input: CommandInput) => Promise<CommandResult>
}
