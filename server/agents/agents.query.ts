/** Agents as the console lists them, and one of them whole. */
import sql, { empty, join } from 'sql-template-tag'
import type { AgentDetail, AgentList, AgentListInput } from '#contracts/agent.contract.ts'
import type { Db } from '#server/ledger/database.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { AGENT_COLUMNS, agentCardOf, type CountedAgent } from './agent-row.ts'
import { definitionPath } from './read-definition.ts'

/** All agents, by name; those that left the house last. */
export async function agentList(db: Db, input: AgentListInput): Promise<AgentList> {
  const where = []
  if (input.status) where.push(sql`a.status = ${input.status}`)
  const q = input.q?.trim().replace(/[\\%_]/g, '\\$&')
  if (q) where.push(sql`(a.slug || ' ' || a.name || ' ' || a.description) ILIKE ${`%${q}%`}`)
  const { rows } = await db.query<CountedAgent>(sql`SELECT ${AGENT_COLUMNS} FROM agent a
    ${where.length > 0 ? sql`WHERE ${join(where, ' AND ')}` : empty} ORDER BY (a.status IN ('archived', 'deleted')), a.name, a.slug`)
  return { items: rows.map(agentCardOf) }
}

/** One agent with its instructions and sources, or null. */
export async function agentDetail(
  { db, garden }: { db: Db; garden: GitRepository },
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
    ...agentCardOf(agent),
    instructions: agent.instructions,
    definition: agent.definition,
    sha256: agent.sha256,
    file: definitionPath(slug),
    sources: sources.sort(),
    created_at: agent.created_at.toISOString(),
  }
}
