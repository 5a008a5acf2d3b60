/** Whether an agent may be run stands on its button and its key: the state it is in, and whether its definition lets people run it. */
import { expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { type AgentDetail, agentCard, agentList } from '#contracts/agent.contract.ts'
import { DECISIONS_COUNTED, RUNS_COUNTED } from '#domain/agent/agent.rules.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { AgentCommands } from './agent-commands.tsx'
import { AgentTriggers } from './agent-triggers.tsx'
import { AgentsPage } from './agents-page.tsx'
import { RecoverAgent } from './recover-agent.tsx'
import { RunAgent } from './run-agent.tsx'

const t = textsOf('agents')
const agent = (status: 'active' | 'paused' | 'error', manual: boolean) => ({
  slug: 'scout',
  name: 'Scout',
  status,
  model: 'extractive',
  tools: [],
  triggers: { manual, cron: null, zone: 'UTC', events: [] },
  next_run_at: null,
})

it.each([
  ['active', true, null],
  ['active', false, 'manualOff'],
  ['paused', true, 'notActive'],
  ['error', false, 'failing'],
] as const)('an agent that is %s with manual runs %s', async (status, manual, why) => {
  const shown = (
    <>
      <AgentTriggers agent={agent(status, manual)} />
      <RunAgent agent={agent(status, manual)} keys="r" />
    </>
  )
  const screen = await renderInConsole(shown, { at: '/agents/scout' })
  const button = screen.getByRole('button', { name: t('runTitle', { name: 'Scout' }) })
  if (why) await expect.element(button).toHaveAccessibleDescription(t(why))
  expect(button.element().getAttribute('aria-disabled')).toBe(why ? 'true' : null)
  expect(screen.getByText(t('noManual')).query() === null).toBe(manual)
  await userEvent.keyboard('r')
  await expect.poll(() => screen.getByRole('dialog').query() === null).toBe(why !== null)
})

it('is asked about before its state is changed, and by its slug before it is deleted', async () => {
  const archived = {
    ...agent('active', true),
    status: 'archived',
    allowed: ['restore'],
  } as unknown as AgentDetail
  const failing = { ...agent('error', true), allowed: ['recover'], error: null } as unknown as AgentDetail
  const shown = (
    <>
      <AgentCommands agent={archived} />
      <RecoverAgent agent={failing} />
    </>
  )
  const screen = await renderInConsole(shown, { at: '/agents/scout' })
  const dialog = screen.getByRole('dialog')
  const leave = async () => {
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog).not.toBeInTheDocument()
  }
  await screen.getByRole('button', { name: t('recoverTitle', { name: 'Scout' }) }).click()
  await expect
    .element(dialog.getByRole('heading'))
    .toHaveTextContent(t('commandTitle', { command: 'recover', name: 'Scout' }))
  await leave()
  for (const act of ['restore', 'delete'] as const) {
    await screen.getByRole('button', { name: t('actions') }).click()
    await screen.getByRole('menuitem', { name: t(act) }).click()
    await expect.element(dialog).toBeVisible()
    if (act === 'delete') {
      const confirm = dialog.getByRole('button', { name: t('proposeDeletion') })
      expect(confirm.element().getAttribute('aria-disabled')).toBe('true')
      await userEvent.keyboard('scout')
      await expect.poll(() => confirm.element().getAttribute('aria-disabled')).toBe(null)
    }
    await leave()
  }
})

it('draws how the last runs ended, and runs the agent of a digit, in the order of the list', async () => {
  const recent_runs = (['running', 'failed', 'completed'] as const).map((status, n) => ({
    run_id: `run_2026-03-02_10000${n}_abcdef`,
    status,
    requested_at: `2026-03-02T10:0${9 - n}:00.000Z`,
  }))
  const card = (slug: string) =>
    agentCard.parse({
      ...{ ...agent('active', true), slug, name: slug, description: '', version: '1', model: 'extractive' },
      ...{ safe_outputs: [], file_status: 'active', problems: [], failed_in_row: 0, error: null },
      ...{ runs_total: RUNS_COUNTED, runs_waiting: 0, running: null, last_run: null, recent_runs },
      ...{
        proposals_decided: DECISIONS_COUNTED,
        proposals_approved: DECISIONS_COUNTED / 2,
        tainted: false,
        allowed: [],
        revision: 'r',
      },
      updated_at: '2026-03-02T09:00:00.000Z',
    })
  const agents = router({ list: query(agentList, () => ({ items: ['gardener', 'scout'].map(card) })) })
  const screen = await renderInConsole(<AgentsPage />, { procedures: { agents }, at: '/agents' })
  await expect.element(screen.getByRole('link', { name: 'scout' })).toBeVisible()
  const record = [
    t('runs', { n: RUNS_COUNTED, atLeast: '≥ ' }),
    t('acceptance', { share: 0.5, n: DECISIONS_COUNTED, latest: 'yes' }),
  ]
  for (const text of record) await expect.element(screen.getByText(text).first()).toBeVisible()
  const words = textsOf('runs')
  const [completed, failed, running] = [
    words('state.completed'),
    words('state.failed'),
    words('state.running'),
  ]
  const summary = t('recent', { done: 1, n: 3, words: `${completed}, ${failed}, ${running}` })
  const marks = screen.getByRole('img', { name: summary }).first().element()
  const tips = [...marks.querySelectorAll<HTMLElement>('[data-tip]')].map(({ dataset }) => dataset.tip)
  expect(tips.map((tip) => tip?.split(' · ')[0])).toEqual([completed, failed, running])
  expect(new Set([...marks.querySelectorAll('svg')].map(({ innerHTML }) => innerHTML)).size).toBe(3)
  await expectAccessible()
  await userEvent.keyboard('2')
  await expect.element(screen.getByRole('dialog', { name: t('runTitle', { name: 'scout' }) })).toBeVisible()
})
