import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { absolute, configPlace, loadSettings } from '../config/settings.ts'
import { EdgeFault } from '../fault.ts'
import { backUp, behindLinks, readIfThere, replaceFile } from '../files/replace-file.ts'
import { hookLines, withHooks, withoutHooks } from '../hooks/claude-settings.ts'
import { hooksBin } from '../hooks/hooks-bin.ts'
import { installScripts, removeScripts } from '../hooks/install-scripts.ts'
import { ownProgram } from '../own-program.ts'
import type { Command, CommandInput, CommandResult } from './command.ts'

/** Scripts that sync at the start and the stop of a session, and the lines that make Claude call them [edge#hooks]. */
export const hooks: Command = {
  name: 'hooks',
  aliases: [],
  summary: 'the session hooks: scripts in --bin, and with --write the lines of ~/.claude/settings.json',
  words: ['install|remove|print'],
  options: { bin: { type: 'string' }, write: { type: 'boolean' } },
  async run(input) {
    const [action = ''] = input.words
    const act = ACTIONS[action]
    if (!act) throw new EdgeFault(`${action} is none of install, remove, print`)
    return await act({
      ...{ bin: binOf(input), program: programOf(input) },
      settings: input.flags.write ? settingsOf(input) : null,
    })
  },
}

type Asked = { bin: string; program: readonly string[]; settings: string | null }

const ACTIONS: Readonly<Record<string, (asked: Asked) => Promise<CommandResult>>> = {
  print: async ({ bin }) => ({ exitCode: 0, lines: [hookLines(bin)], json: JSON.parse(hookLines(bin)) }),
  async install({ bin, program, settings }) {
    // The settings are understood before the first script is written.
    const planned = settings ? await changed(settings, (text) => withHooks(text, bin).text) : null
    const others = planned ? withHooks(planned.before, bin).others : []
    const written = await installScripts(bin, program)
    const backup = planned && (await write(planned))
    const lines = [
      ...written.map((file) => `wrote ${file}`),
      ...(planned
        ? settingsLines(planned, backup)
        : ['Add to ~/.claude/settings.json, or use --write:', hookLines(bin)]),
      ...others.map(
        (command) =>
          `WARNING: not added: a session already runs ${command}; remove that line and run the command again`,
      ),
    ]
    return { exitCode: 0, lines, json: { written, settings, backup, others } }
  },
  async remove({ bin, settings }) {
    const planned = settings ? await changed(settings, (text) => withoutHooks(text, bin)) : null
    const backup = planned && (await write(planned))
    const { removed, left } = await removeScripts(bin)
    const lines = [
      ...removed.map((file) => `removed ${file}`),
      ...left.map((file) => `left ${file}: it was not written by membridge`),
      ...(planned
        ? settingsLines(planned, backup)
        : ['Take their lines out of ~/.claude/settings.json, or use --write.']),
    ]
    return { exitCode: 0, lines, json: { removed, left, settings, backup } }
  },
}

/** Where the scripts go: `--bin`, else `MEMBRIDGE_HOOKS_BIN`, else `~/.local/bin`. */
function binOf({ host, given, flags }: CommandInput): string {
  const named = typeof flags.bin === 'string' && flags.bin !== '' ? absolute(host, flags.bin) : null
  const bin = named ?? hooksBin(host, loadSettings(host, given).values)
  if (/\p{Cc}/u.test(bin)) throw new EdgeFault('--bin must be one line without control characters')
  return bin
}

/** How a hook starts this program: with the settings that were named here, wherever the session runs. */
function programOf({ host, given }: CommandInput): string[] {
  const { place, named } = configPlace(host, given.config)
  if (/\p{Cc}/u.test(place)) throw new EdgeFault('--config must be one line without control characters')
  return [...ownProgram(), ...(named ? [`--config=${place}`] : [])]
}

const settingsOf = ({ host }: CommandInput): string => path.join(host.home, '.claude/settings.json')

type Change = { file: string; before: string; after: string; there: Buffer | null }

/** What the change makes of the file. */
async function changed(file: string, change: (text: string) => string): Promise<Change> {
  const there = await readIfThere(file)
  const before = there?.toString('utf8') ?? ''
  return { file, before, after: change(before), there }
}

/** Writes it, after a copy; returns where the copy lies, or null where nothing had to be copied. */
async function write({ file: named, before, after, there }: Change): Promise<string | null> {
  if (before === after) return null
  try {
    const file = await behindLinks(named)
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    const backup = there && (await backUp(file, there, new Date()))
    const mode = there ? (await stat(file)).mode & 0o777 : 0o600
    if ((await readIfThere(file))?.toString('utf8') !== there?.toString('utf8'))
      throw new EdgeFault(`${named} was changed by another program: run the command again`)
    await replaceFile(file, after, mode)
    return backup
  } catch (error) {
    if (error instanceof EdgeFault) throw error
    throw new EdgeFault(`${named} cannot be written (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    })
  }
}

const settingsLines = ({ file, before, after }: Change, backup: string | null): string[] => [
  before === after ? `unchanged: ${file}` : `wrote ${file}`,
  ...(backup ? [`the file of before is ${backup}`] : []),
]
