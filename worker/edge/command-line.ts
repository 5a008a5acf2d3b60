import { parseArgs } from 'node:util'
import type { Command, CommandInput, CommandResult } from './commands/command.ts'
import { diagnoseCommand } from './commands/diagnose.command.ts'
import { doctor } from './commands/doctor.command.ts'
import { printProject } from './commands/print-project.command.ts'
import { EdgeFault, ERROR_LABEL, reasonOf } from './fault.ts'
import type { Host } from './host.ts'

/** The command line of a node: which command, with which options, and what it prints [edge#commands]. */
const COMMANDS: readonly Command[] = [doctor, diagnoseCommand, printProject]

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
  ...COMMANDS.map(({ name, aliases, summary }) => `  ${[name, ...aliases].join(', ').padEnd(32)}${summary}`),
].join('\n')

/** Runs what the arguments ask for. A fault is one line a cause, without a stack. */
export async function runCommandLine(args: string[], host: Host): Promise<Printed> {
  let json = false
  try {
    const { command, input, ...asked } = parse(args, host)
    json = asked.json
    if (!command) return { exitCode: 0, stdout: print([USAGE]), stderr: '' }
    const result = await command.run(input)
    return {
      exitCode: result.exitCode,
      stdout: json ? printJson(result.json) : print(result.lines),
      stderr: '',
    }
  } catch (error) {
    return printFault(error, json)
  }
}

/** What was thrown: its stable first words begin the line, or `ERROR: ` does. */
export function printFault(error: unknown, json: boolean): Printed {
  const foreseen = error instanceof EdgeFault
  const message = foreseen ? error.message : `unexpected fault: ${reasonOf(error)}`
  const exitCode = foreseen ? error.exitCode : 1
  const stdout = json ? printJson({ error: message, exit_code: exitCode }) : ''
  return { exitCode, stdout, stderr: print([`${foreseen ? error.label : ERROR_LABEL}${message}`]) }
}

type Asked = { command: Command | null; input: CommandInput; json: boolean }

function parse(args: string[], host: Host): Asked {
  const { values, positionals } = parseOptions(args)
  const { project, config, json = false, help = false } = values
  const given = { ...(project === undefined ? {} : { project }), ...(config === undefined ? {} : { config }) }
  const [name, ...more] = positionals
  if (help) return { command: null, input: { host, given }, json }
  const command = COMMANDS.find(
    (one) => one.name === name || (name !== undefined && one.aliases.includes(name)),
  )
  if (!command || more.length > 0) {
    const what =
      name === undefined ? 'no command given' : command ? `${more[0]} is too much` : `no command ${name}`
    throw new EdgeFault(`${what}\n${USAGE}`)
  }
  return { command, input: { host, given }, json }
}

function parseOptions(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new EdgeFault(`${(error as Error).message.split('. ')[0]}\n${USAGE}`)
  }
}

/** Lines as a terminal may show them: what other nodes wrote must not steer it. */
const print = (lines: CommandResult['lines']): string => `${lines.join('\n').replace(/[^\P{Cc}\n]/gu, '?')}\n`

const printJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
