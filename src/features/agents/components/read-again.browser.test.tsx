/** What was commanded here is shown at once, whether or not an event says so. */
import { useQuery } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import {
  type AgentCard,
  type AgentCommandInput,
  type AgentDetail,
  agentCard,
  agentCommanded,
  agentList,
} from '#contracts/agent.contract.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { AgentCommands } from './agent-commands.tsx'
import { RecoverAgent } from './recover-agent.tsx'

const t = textsOf('agents')

const anAgent = (status: 'active' | 'error', allowed: AgentCard['allowed']) =>
  agentCard.parse({
    ...{ slug: 'scout', name: 'Scout', description: '', version: '1', model: 'extractive', tools: [] },
    ...{
      safe_outputs: [],
      file_status: 'active',
      problems: [],
      failed_in_row: 0,
      error: null,
      status,
      allowed,
    },
    ...{ runs_total: 0, runs_waiting: 0, running: null, last_run: null, recent_runs: [], tainted: false },
    ...{ proposals_decided: 0, proposals_approved: 0, next_run_at: null, revision: 'r' },
    triggers: { manual: true, cron: null, zone: 'UTC', events: [] },
    updated_at: '2026-03-02T09:00:00.000Z',
  })

/** The agent as the page has it. */
function Agent() {
  const agent = useQuery(useTRPC().agents.list.queryOptions({})).data?.items[0]
  if (!agent) return null
  return (
    <>
      <p>{agent.status}</p>
      <RecoverAgent agent={agent} />
      <AgentCommands agent={agent as AgentDetail} />
    </>
  )
}

async function open(agent: AgentCard) {
  const agents = router({
    list: query(agentList, () => ({ items: [agent] })),
    command: mutation(agentCommanded, ({ slug, command }: AgentCommandInput) => {
      const status = command === 'recover' ? 'active' : 'paused'
      Object.assign(agent, { status })
      return { slug, status, proposal_id: null, unchanged: false } as const
    }),
  })
  return renderInConsole(<Agent />, { procedures: { agents }, at: '/agents' })
}

it('shows an agent that was recovered as active', async () => {
  const screen = await open(anAgent('error', ['recover']))
  await screen.getByRole('button', { name: t('recoverTitle', { name: 'Scout' }) }).click()
  await screen
    .getByRole('dialog')
    .getByRole('button', { name: t('recoverShort') })
    .click()
  await expect.element(screen.getByText('active', { exact: true })).toBeVisible()
})

it('shows an agent that was paused as paused', async () => {
  const screen = await open(anAgent('active', ['pause']))
  await screen.getByRole('button', { name: t('actions') }).click()
  await screen.getByRole('menuitem', { name: t('pause') }).click()
  await screen
    .getByRole('dialog')
    .getByRole('button', { name: t('pause') })
    .click()
  await expect.element(screen.getByText('paused', { exact: true })).toBeVisible()
})
