import type { AgentDetail } from '#contracts/agent.contract.ts'
import { rowOf } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { agentCard, runFactsOf } from './agent-view.ts'
import { unservedProblems } from './judge-definition.ts'
import { definitionPath } from './read-definition.ts'

/** The agent with its instructions and sources, or null. */
export async function getAgent(
  { db, garden, reads, executors }: Pick<Services, 'db' | 'garden' | 'reads' | 'executors'>,
  slug: string,
): Promise<AgentDetail | null> {
  const found = await reads.agent.findUnique({ where: { slug } })
  if (!found) return null
  const agent = rowOf('agent', found)
  const factsOf = await runFactsOf(db, [slug])
  const file = await garden.read(definitionPath(slug))
  const folder = `agents/${slug}/sources/`
  const sources = (await garden.list()).map((e) => e.path).filter((p) => p.startsWith(folder))
  const card = agentCard(agent, factsOf(slug), executors)
  const unserved = await unservedProblems(agent, file?.text ?? '', { executors, severity: 'warning' })
  return {
    ...card,
    problems: [...card.problems, ...unserved],
    instructions: agent.instructions,
    definition: agent.definition,
    sha256: agent.sha256,
    file: definitionPath(slug),
    source: file && { text: file.text, sha256: file.sha256 },
    sources: sources.sort(),
    created_at: agent.created_at.toISOString(),
  }
}
