import { configPlace, type LoadedSettings, loadSettings } from '../config/settings.ts'
import { EdgeFault, ERROR_LABEL } from '../fault.ts'
import type { Host } from '../host.ts'
import { joinNode } from '../joining/join-node.ts'
import { missingIn, nextSteps } from '../joining/next-steps.ts'
import { readInput } from '../joining/read-input.ts'
import { type JoinedValues, readJoinText } from '../joining/read-join-text.ts'
import { openTerminal, type Terminal } from '../joining/terminal.ts'
import { type ServerAnswer, tryHeartbeat } from '../joining/try-heartbeat.ts'
import type { Written } from '../joining/write-config.ts'
import { ownProgram } from '../own-program.ts'
import { storePlace } from '../store/open-node-store.ts'
import type { Command, CommandInput, CommandResult } from './command.ts'

/** Makes this machine a node: reads the console's text from the input and writes `config.env` [edge#joining]. */
export const join: Command = {
  name: 'join',
  aliases: [],
  summary: 'writes config.env from the text of "Add a node" on the input; --check asks the server',
  options: { check: { type: 'boolean' } },
  async run(input) {
    const terminal = openTerminal()
    try {
      return await run(input, terminal)
    } finally {
      terminal?.close()
    }
  },
}

async function run(
  { host, given, flags, stopped }: CommandInput,
  terminal: Terminal | null,
): Promise<CommandResult> {
  const file = configPlace(host, given.config).place
  const bytes = await readInput(terminal)
  const empty = Buffer.from(bytes).toString('utf8').trim() === ''
  let written: Written = { changed: false, backup: null }
  if (!(empty && flags.check)) {
    const values = readJoinText(bytes, host.home)
    const project: JoinedValues = given.project ? { CLAUDE_PROJECT_ID: given.project } : {}
    written = await joinNode({ host, file, terminal, values: { ...values, ...project } })
  }
  const loaded = settingsAfter(written, () => loadSettings(host, { ...given, config: file }))
  // From here on Ctrl-C stops the process.
  terminal?.close()
  const answer = flags.check ? await tryHeartbeat(host, loaded.values, stopped) : null
  return report({ host, loaded, written, answer })
}

/** Settings that were wrong before are reported by every command; here the person also hears that the file was written. */
function settingsAfter({ changed }: Written, load: () => LoadedSettings): LoadedSettings {
  try {
    return load()
  } catch (error) {
    if (!changed || !(error instanceof EdgeFault)) throw error
    throw new EdgeFault(
      `${error.message}\n${ERROR_LABEL}the node's values were written all the same; put this right next`,
    )
  }
}

type Joined = { host: Host; loaded: LoadedSettings; written: Written; answer: ServerAnswer | null }

function report({ host, loaded, written, answer }: Joined): CommandResult {
  const { values, file } = loaded
  const { changed, backup } = written
  const program = ownProgram()
  const steps = nextSteps({ host, values, file: file.path, written, isChecked: answer !== null, program })
  const lines = [
    `${changed ? 'wrote' : 'unchanged:'} ${file.path}`,
    ...(backup ? [`the file of before is ${backup}`] : []),
    `node ${values.MEMBRIDGE_NODE_ID ?? 'without a name'}, server ${new URL(values.MEMBRIDGE_SERVER_URL).host}, store ${storePlace(values) ?? 'not set'}`,
    ...(answer ? [`${answer.ok ? 'OK' : 'FAILED'}: ${answer.text}`] : []),
    'Next:',
    ...steps.map((step) => `  ${step}`),
  ]
  const exitCode = answer?.ok === false ? 1 : 0
  const json = {
    config_file: file.path,
    changed,
    backup,
    node_id: values.MEMBRIDGE_NODE_ID ?? null,
    store: storePlace(values),
    missing: missingIn(values),
    check: answer,
  }
  return { exitCode, lines, json }
}
