/** One agent. SQL, not Prisma: it shares the list's correlated counts. */
import sql from 'sql-template-tag'
import type { AgentDetail } from '#contracts/agent.contract.ts'
import type { Services } from '#server/services.ts'
import { AGENT_COLUMNS, agentCard, type CountedAgent } from './agent-view.ts'
import { definitionPath } from './read-definition.ts'

/** The agent with its instructions and sources, or null. */
export async function getAgent(
  { db, garden }: Pick<Services, 'db' | 'garden'>,
  slug: string,
): Promise<AgentDetail | null> {
  const { rows } = await db.query<CountedAgent>(
    sql`SELECT ${AGENT_COLUMNS} FROM agent a WHERE a.slug = ${slug}`,
  )
  const agent = rows[0]
  if (!agent) return null
  const folder = `agents/${slug}/sources/`
  const sources = (await garden.list()).map((e) => e.path).filter((p) => p.startsWith(folder))
  return {
    ...agentCard(agent),
    instructions: agent.instructions,
    definition: agent.definition,
    sha256: agent.sha256,
    file: definitionPath(slug),
    sources: sources.sort(),
    created_at: agent.created_at.toISOString(),
  }
}
