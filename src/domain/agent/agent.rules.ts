import { allowed } from '../kernel/machine.ts'
import { type AgentEvent, type AgentState, agentMachine } from './agent.machine.ts'

/** Runs of an agent are counted up to so many: from here on the number is a lower bound. */
export const RUNS_COUNTED = 1_000
/** How an agent's proposals were decided is told by the latest so many. */
export const DECISIONS_COUNTED = 200

/** What the owner may ask of an agent ([agents#transitions]); the other events belong to the runtime or have no command. */
export const OWNER_COMMANDS = [
  'activate',
  'pause',
  'resume',
  'recover',
  'archive',
  'restore',
] as const satisfies readonly AgentEvent[]
export type OwnerCommand = (typeof OWNER_COMMANDS)[number]

/** Commands that make an agent active pass only when its definition has no errors. */
export const NEEDS_CHECKS: readonly OwnerCommand[] = ['activate', 'resume', 'recover']

export type AgentFacts = { status: AgentState; errors: number; running: number }

/** Why the command would be refused now, or null. The ledger's guard says the last word. */
export function commandFault(
  command: OwnerCommand,
  agent: AgentFacts,
): 'transition' | 'checks' | 'running' | null {
  if (!allowed(agentMachine, agent.status).includes(command)) return 'transition'
  if (NEEDS_CHECKS.includes(command) && agent.errors > 0) return 'checks'
  if (command === 'archive' && agent.running > 0) return 'running'
  return null
}

/** The commands that would be accepted now, in the order of the table. */
export const liveCommands = (agent: AgentFacts): OwnerCommand[] =>
  OWNER_COMMANDS.filter((command) => commandFault(command, agent) === null)

/** The frontmatter's `status` after a command: the file never says `error`, which the runtime alone sets beside it. */
export const fileStatusAfter = (command: OwnerCommand): AgentState => agentMachine.events[command].to
