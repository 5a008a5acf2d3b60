import {
  AGENT_COMMANDS,
  agentCommanded,
  agentCommandInput,
  agentDeleteInput,
  agentDeletion,
  agentDetail as agentDetailView,
  agentListInput,
  agentList as agentListView,
  agentSlugInput,
  definitionCheckInput,
  definitionCheck as definitionCheckView,
} from '#contracts/agent.contract.ts'
import { refuse } from '#domain/kernel/result.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { changeAgentStatus } from './change-agent-status.ts'
import { checkDefinition } from './check-definition.query.ts'
import { getAgent } from './get-agent.query.ts'
import { listAgents } from './list-agents.query.ts'
import { proposeDeletion } from './propose-deletion.ts'

export const agentOperations = operations('agents', {
  list: read('agent.read', {
    summary: 'List agents',
    rest: 'GET /api/v1/agents',
    input: agentListInput,
    output: agentListView,
    run: ({ services }, input) => listAgents(services, input),
  }),
  get: read('agent.read', {
    summary: 'Get an agent with its definition and problems',
    rest: 'GET /api/v1/agents/{slug}',
    input: agentSlugInput,
    output: agentDetailView,
    run: async ({ services }, { slug }) =>
      (await getAgent(services, slug)) ?? refuse({ code: 'NOT_FOUND', message: 'There is no such agent.' }),
  }),
  check: read('agent.read', {
    summary: 'Check an agent definition',
    rest: null,
    input: definitionCheckInput,
    output: definitionCheckView,
    run: ({ services }, input) => checkDefinition(services, input),
  }),
  delete: write('agent.change', {
    summary: 'Propose to delete an archived agent; runs and artifacts are kept',
    rest: 'POST /api/v1/agents/{slug}/delete',
    status: 202,
    input: agentDeleteInput,
    output: agentDeletion,
    run: ({ services, caller }, input) => proposeDeletion(services, input, caller),
  }),
  /** Each command is a Proposal on the file's status and its approval, at once. */
  command: write('agent.change', {
    summary: 'Change the status of an agent',
    rest: AGENT_COMMANDS.map((command) => ({
      at: `POST /api/v1/agents/{slug}/${command}` as const,
      fixed: { command },
      summary: `${command.charAt(0).toUpperCase()}${command.slice(1)} an agent`,
    })),
    input: agentCommandInput,
    // state.json is written to the object store after the commit.
    transaction: 'own',
    output: agentCommanded,
    run: ({ services, caller }, input) => changeAgentStatus(services, input, caller),
  }),
})
