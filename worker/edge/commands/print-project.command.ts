import { loadSettings, required } from '../config/settings.ts'
import { canonicalIdOf } from '../identity.ts'
import type { Command } from './command.ts'

/** The project's name, and the id by which all nodes know it. */
export const printProject: Command = {
  name: 'print-project',
  aliases: ['print_project'],
  summary: 'the name and the canonical id of the project',
  async run({ host, given }) {
    const project = required(loadSettings(host, given).values, 'CLAUDE_PROJECT_ID')
    const id = canonicalIdOf(project)
    return {
      exitCode: 0,
      lines: [`project_name: ${project}`, `canonical_project_id: ${id}`],
      json: { project_name: project, canonical_project_id: id },
    }
  },
}
