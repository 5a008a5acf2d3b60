import type { Command } from './command.ts'

/** The daemon of the node [edge#agent]. Loaded when it is asked for: the other commands start without a server. */
export const agentCommand: Command = {
  name: 'agent',
  aliases: [],
  summary:
    'the daemon of this node: announces its projects and syncs when the control plane asks (port 8001)',
  endsWhenStopped: true,
  async run(input) {
    const { runAgent } = await import('../agent/run-agent.ts')
    return runAgent(input, [process.execPath, process.argv[1] ?? ''])
  },
}
