import {
  AGENT_COMMANDS,
  agentCommanded,
  agentCommandInput,
  agentDetail as agentDetailView,
  agentListInput,
  agentList as agentListView,
  agentSlugInput,
} from '#contracts/agent.contract.ts'
import { ok, refuse } from '#domain/kernel/result.ts'
import { changeAgentStatus } from '#server/agents/change-agent-status.ts'
import { getAgent } from '#server/agents/get-agent.query.ts'
import { listAgents } from '#server/agents/list-agents.query.ts'
import { type AnyRoute, route } from './route.ts'

const tag = 'Agents'
const read = { policy: { action: 'agent.read' }, tag, method: 'get' } as const

/** `POST /agents/{slug}/activate` and its like: each a Proposal on the file's status and its approval, at once. */
const commands: AnyRoute[] = AGENT_COMMANDS.map((command) =>
  route({
    method: 'post',
    path: `/api/v1/agents/{slug}/${command}`,
    policy: { action: 'agent.change' },
    summary: `The owner's command: ${command}`,
    tag,
    params: agentSlugInput,
    body: agentCommandInput.pick({ reason: true }),
    response: agentCommanded,
    handle: ({ services, params, body, caller }) =>
      changeAgentStatus(services, { ...params, ...body, command }, caller),
  }),
)

export const agentsRoutes: AnyRoute[] = [
  route({
    ...read,
    path: '/api/v1/agents',
    summary: 'Agents of the garden',
    query: agentListInput,
    response: agentListView,
    handle: async ({ services, query }) => ok(await listAgents(services, query)),
  }),
  route({
    ...read,
    path: '/api/v1/agents/{slug}',
    summary: 'One agent with its definition and problems',
    params: agentSlugInput,
    response: agentDetailView,
    handle: async ({ services, params }) => {
      const agent = await getAgent(services, params.slug)
      return agent ? ok(agent) : refuse({ code: 'NOT_FOUND', message: 'There is no such agent.' })
    },
  }),
  ...commands,
]
