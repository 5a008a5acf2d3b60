import type { AgentList, AgentListInput } from '#contracts/agent.contract.ts'
import { type AgentState, agentMachine } from '#domain/agent/agent.machine.ts'
import type { Prisma } from '#prisma/generated/client.ts'
import { like } from '#server/ledger/list.ts'
import { rowsOf } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { agentCard, runFactsOf } from './agent-view.ts'

/** All agents, by name; archived and deleted ones last. */
export async function listAgents(
  { db, reads, executors }: Pick<Services, 'db' | 'reads' | 'executors'>,
  input: AgentListInput,
): Promise<AgentList> {
  const found = await reads.agent.findMany({
    where: filterOf(input),
    orderBy: [{ name: 'asc' }, { slug: 'asc' }],
  })
  const agents = rowsOf('agent', found)
  const factsOf = await runFactsOf(
    db,
    agents.map((agent) => agent.slug),
  )
  const items = agents.map((agent) => agentCard(agent, factsOf(agent.slug), executors))
  return {
    items: [...items.filter((item) => !isPast(item.status)), ...items.filter((item) => isPast(item.status))],
  }
}

const { archive, delete: remove } = agentMachine.events
const isPast = (status: AgentState): boolean => status === archive.to || status === remove.to

function filterOf({ status, q }: AgentListInput): Prisma.AgentWhereInput {
  const text = like(q?.trim() ?? '')
  const holds = { contains: text, mode: 'insensitive' } as const
  return {
    ...(status && { status }),
    ...(text && { OR: [{ slug: holds }, { name: holds }, { description: holds }] }),
  }
}
