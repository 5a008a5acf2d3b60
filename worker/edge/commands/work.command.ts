import { loadSettings } from '../config/settings.ts'
import type { Command } from './command.ts'

/** Fetches LLM Tasks and runs them [edge#work]. */
export const workCommand: Command = {
  name: 'work',
  aliases: [],
  summary: 'fetches LLM Tasks and runs them with CLAUDE_BIN, until it is stopped; --once for one',
  options: { once: { type: 'boolean' }, 'dry-run': { type: 'boolean' } },
  endsWhenStopped: true,
  async run({ host, given, flags, say, stopped, tasks }) {
    const { values } = loadSettings(host, given)
    const { runtimeClient } = await import('../tasks/runtime-client.ts')
    const client = runtimeClient(values)
    if (flags['dry-run']) {
      const { PROGRAM_ARGUMENTS } = await import('../tasks/execute-task.ts')
      const about = {
        runtime: values.BLOOM_RUNTIME_URL,
        worker: values.MEMBRIDGE_NODE_ID ?? host.name,
        program: [values.CLAUDE_BIN, ...PROGRAM_ARGUMENTS].join(' '),
        at_once: values.MEMBRIDGE_WORK_CONCURRENCY,
        labels: values.MEMBRIDGE_WORK_LABELS,
      }
      const lines = Object.entries(about).map(([name, value]) => `${name}: ${String(value)}`)
      return { exitCode: 0, lines, json: about }
    }
    const { work } = await import('../tasks/work.ts')
    const once = flags.once === true
    const ran = await work({ host, settings: values, client, stopped, tasks, say, once })
    return { exitCode: 0, lines: [`${ran} task${ran === 1 ? '' : 's'}`], json: { tasks: ran } }
  },
}
