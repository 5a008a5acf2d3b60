import type { Host } from '../host.ts'

/** What a command gives back: lines for a person, one JSON value for a program, and the exit code of both. */
export type CommandResult = { exitCode: number; lines: string[]; json: unknown }

export type CommandInput = { host: Host; given: { project?: string; config?: string } }

/** A command of the node's command line [edge#commands]. Throws `EdgeFault` for what the person can put right. */
export type Command = {
  name: string
  /** Names under which tools of today know it. */
  aliases: readonly string[]
  summary: string
  run: (input: CommandInput) => Promise<CommandResult>
}
