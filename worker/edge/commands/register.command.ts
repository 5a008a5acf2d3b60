import path from 'node:path'
import { loadSettings, required } from '../config/settings.ts'
import type { Command } from './command.ts'

/** Makes the agent of this machine announce a project [edge#agent]. */
export const registerCommand: Command = {
  name: 'register',
  aliases: [],
  summary: 'registers the project with the agent of this machine',
  options: { path: { type: 'string' } },
  async run({ host, given, flags }) {
    const { registerWithAgent } = await import('../agent/register-with-agent.ts')
    const settings = loadSettings(host, given).values
    const project = required(settings, 'CLAUDE_PROJECT_ID')
    const place = typeof flags.path === 'string' ? { path: path.resolve(host.cwd, flags.path) } : {}
    const answer = await registerWithAgent(settings, { project_id: project, ...place })
    return {
      exitCode: 0,
      lines: [
        `registered: ${answer.project_id} (${answer.canonical_id})`,
        `projects of this node: ${answer.projects_count}`,
      ],
      json: answer,
    }
  },
}
