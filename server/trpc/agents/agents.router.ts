import {
  agentCommanded,
  agentCommandInput,
  agentDetail as agentDetailView,
  agentListInput,
  agentList as agentListView,
  agentSlugInput,
} from '#contracts/agent.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { changeAgentStatus } from '#server/agents/change-agent-status.ts'
import { getAgent } from '#server/agents/get-agent.query.ts'
import { listAgents } from '#server/agents/list-agents.query.ts'
import { guarded, router } from '../trpc.ts'
import { unwrap } from '../unwrap.ts'

export const agentsRouter = router({
  list: guarded('agent.read')
    .input(agentListInput)
    .output(agentListView)
    .query(({ ctx, input }) => listAgents(ctx.services, input)),
  get: guarded('agent.read')
    .input(agentSlugInput)
    .output(agentDetailView)
    .query(async ({ ctx, input }) => {
      const agent = await getAgent(ctx.services, input.slug)
      if (!agent) throw new Refused('NOT_FOUND', 'There is no such agent.')
      return agent
    }),
  command: guarded('agent.change')
    .input(agentCommandInput)
    .output(agentCommanded)
    .mutation(async ({ ctx, input }) => unwrap(await changeAgentStatus(ctx.services, input, ctx.caller))),
})
