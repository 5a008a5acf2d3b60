import { parseArgs } from 'node:util'
import { agentCommand } from './commands/agent.command.ts'
import type { Command, CommandInput, CommandResult } from './commands/command.ts'
import { diagnoseCommand } from './commands/diagnose.command.ts'
import { doctor } from './commands/doctor.command.ts'
import { hooks } from './commands/hooks.command.ts'
import { join } from './commands/join.command.ts'
import { leadershipCommand } from './commands/leadership.command.ts'
import { printProject } from './commands/print-project.command.ts'
import { pullCommand } from './commands/pull.command.ts'
import { pushCommand } from './commands/push.command.ts'
import { registerCommand } from './commands/register.command.ts'
import { service } from './commands/service.command.ts'
import { workCommand } from './commands/work.command.ts'
import { EdgeFault, ERROR_LABEL, reasonOf } from './fault.ts'
import type { Host } from './host.ts'

/** The command line of a node: which command, with which options, and what it prints [edge#commands]. */
const COMMANDS: readonly Command[] = [
  pushCommand,
  pullCommand,
  leadershipCommand,
  doctor,
  diagnoseCommand,
  printProject,
  agentCommand,
  workCommand,
  registerCommand,
  join,
  hooks,
  service,
]

const OPTIONS = {
  project: { type: 'string' },
  config: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/** What the process prints and ends with. */
export type Printed = { exitCode: number; stdout: string; stderr: string }

export const USAGE = [
  'usage: membridge <command> [--project NAME] [--config FILE] [--json]',
  '',
  ...COMMANDS.map((command) => `  ${formOf(command).padEnd(47)} ${command.summary}`),
].join('\n')

function formOf({ name, aliases, words = [], options = {} }: Command): string {
  const flags = Object.entries(options).map(([flag, { type }]) =>
    type === 'string' ? `[--${flag} ${flag.toUpperCase()}]` : `[--${flag}]`,
  )
  return [[name, ...aliases].join(', '), ...words, ...flags].join(' ')
}

/** How a command hears of the process it runs in, and is heard. */
export type Surroundings = Pick<CommandInput, 'say' | 'stopped' | 'tasks'>
const ALONE: Surroundings = { say: () => {}, stopped: new AbortController().signal }
const STOPPED: Printed = { exitCode: 130, stdout: '', stderr: '' }

/** Runs what the arguments ask for. A fault is one line a cause, without a stack. */
export async function runCommandLine(
  args: string[],
  host: Host,
  { say, ...stopping }: Surroundings = ALONE,
): Promise<Printed> {
  let json = false
  try {
    const { command, input, ...asked } = parse(args, host)
    json = asked.json
    if (!command) return { exitCode: 0, stdout: print([USAGE]), stderr: '' }
    const running = command.run({ ...input, ...stopping, say: (line) => say(print([line])) })
    const result = command.endsWhenStopped ? await running : await orStopped(running, stopping.stopped)
    if (result === null) return STOPPED
    return {
      exitCode: result.exitCode,
      stdout: json ? printJson(result.json) : print(result.lines),
      stderr: '',
    }
  } catch (error) {
    return printFault(error, json)
  }
}

/** The end of the command, or `null` as soon as the process is asked to stop. */
function orStopped(running: Promise<CommandResult>, stopped: AbortSignal): Promise<CommandResult | null> {
  return new Promise((resolve, reject) => {
    stopped.addEventListener('abort', () => resolve(null), { once: true })
    running.then(resolve, reject)
  })
}

/** What was thrown: its stable first words begin the line, or `ERROR: ` does. */
export function printFault(error: unknown, json: boolean): Printed {
  const foreseen = error instanceof EdgeFault
  const message = foreseen ? error.message : `unexpected fault: ${reasonOf(error)}`
  const exitCode = foreseen ? error.exitCode : 1
  const stdout = json ? printJson({ error: message, exit_code: exitCode }) : ''
  return { exitCode, stdout, stderr: print([`${foreseen ? error.label : ERROR_LABEL}${message}`]) }
}

type Asked = { command: Command | null; input: Omit<CommandInput, keyof Surroundings>; json: boolean }

function parse(args: string[], host: Host): Asked {
  const { values, positionals } = parseOptions(args)
  const { project, config, json, help, ...flags } = values
  const given = { ...textUnder('project', project), ...textUnder('config', config) }
  const [name, ...words] = positionals
  const input = { host, given, flags, words }
  if (help) return { command: null, input, json: json === true }
  const command = COMMANDS.find(
    (one) => one.name === name || (name !== undefined && one.aliases.includes(name)),
  )
  if (!command)
    throw new EdgeFault(`${name === undefined ? 'no command given' : `no command ${name}`}\n${USAGE}`)
  refuseOthers(command, words, flags)
  return { command, input, json: json === true }
}

const textUnder = (name: string, value: unknown) => (typeof value === 'string' ? { [name]: value } : {})

/** Words and options that are not the command's. */
function refuseOthers(command: Command, words: string[], flags: Record<string, unknown>): void {
  const { name, words: wanted = [], options = {} } = command
  const foreign = Object.keys(flags).find((flag) => !(flag in options))
  const why =
    words.length > wanted.length
      ? `${words[wanted.length]} is too much`
      : words.length < wanted.length
        ? `${name} needs ${wanted.slice(words.length).join(' ')}`
        : foreign && `${name} does not take --${foreign}`
  if (why) throw new EdgeFault(`${why}\n${USAGE}`)
}

function parseOptions(args: string[]) {
  const own = Object.assign({}, ...COMMANDS.map(({ options }) => options))
  const options: typeof OPTIONS & NonNullable<Command['options']> = { ...own, ...OPTIONS }
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new EdgeFault(`${(error as Error).message.split('. ')[0]}\n${USAGE}`)
  }
}

/** Lines as a terminal may show them: what other nodes wrote must not steer it. */
const print = (lines: CommandResult['lines']): string => `${lines.join('\n').replace(/[^\P{Cc}\n]/gu, '?')}\n`

const printJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
