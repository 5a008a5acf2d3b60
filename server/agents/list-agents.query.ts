/** The list of agents. SQL, not Prisma: correlated counts, and an order that puts archived agents last. */
import sql from 'sql-template-tag'
import type { AgentList, AgentListInput } from '#contracts/agent.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { like, whereAll } from '#server/ledger/list.ts'
import { states } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { AGENT_COLUMNS, agentCard, type CountedAgent } from './agent-view.ts'

/** All agents, by name; archived and deleted ones last. */
export async function listAgents(
  { db }: Pick<Services, 'db'>,
  { status, q }: AgentListInput,
): Promise<AgentList> {
  const text = q?.trim()
  const where = whereAll(
    status ? sql`a.status = ${status}` : null,
    text ? sql`(a.slug || ' ' || a.name || ' ' || a.description) ILIKE ${`%${like(text)}%`}` : null,
  )
  const { rows } = await db.query<CountedAgent>(sql`SELECT ${AGENT_COLUMNS} FROM agent a ${where}
    ORDER BY (a.status IN ${states(agentMachine, 'archived', 'deleted')}), a.name, a.slug`)
  return { items: rows.map(agentCard) }
}
