import type { AgentProblem } from '#contracts/agent.contract.ts'
import type { PinnedDefinition } from './read-definition.ts'

/** Of an agent whose file is gone. */
export const FILE_MISSING: AgentProblem = {
  severity: 'error',
  code: 'file_missing',
  message: 'The file _agent.md is no longer in the garden.',
  line: null,
}

/** What the ledger knows of an agent by its file. */
export function agentFields(file: PinnedDefinition, more: AgentProblem[] = []) {
  const text = (key: string) => {
    const value = file.frontmatter[key]
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
  }
  return {
    name: text('name') ?? file.slug,
    description: text('description') ?? '',
    version: file.version,
    model: file.definition.model,
    definition: file.frontmatter,
    instructions: file.definition.body,
    problems: [...file.problems, ...more],
    revision: file.revision,
    sha256: file.sha256,
  }
}
