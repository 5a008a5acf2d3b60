/** An agent is made by prose in a form; the server judges the text while it is written. */
import { expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { definitionCheck } from '#contracts/agent.contract.ts'
import { submitAnswer } from '#contracts/inbox.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { fieldsOf } from '../definition-text.ts'
import { DefineAgent } from './definition-dialog.tsx'

const t = textsOf('agents')
const BAD = 'cron: must be five fields'

const ACCEPTED = {
  inbox_id: 'inbox-1',
  status: 'processed',
  resolution: null,
  correlation_id: 'correlation-of-a-test',
  repeated: false,
} as const

type Submitted = { intent: { action: string; target: string; payload: { text: string; kind: string } } }

it('shows the problems by line, proposes only without errors, and sends what was written', async () => {
  const given: Submitted[] = []
  const procedures = {
    agents: router({
      check: query(definitionCheck, ({ text }: { text: string }) =>
        text.includes('"61') || !text.includes('name: Bed')
          ? { problems: [{ severity: 'error' as const, code: 'x', message: BAD, line: 12 }], next_runs: [] }
          : { problems: [], next_runs: ['2026-11-23T05:00:00.000Z'] },
      ),
    }),
    inbox: router({
      submit: mutation(submitAnswer, (input: Submitted) => {
        given.push(input)
        return ACCEPTED
      }),
    }),
  }
  const screen = await renderInConsole(<DefineAgent />, { procedures, at: '/agents' })
  const field = (name: 'name' | 'slug' | 'description' | 'instructions' | 'schedule') =>
    screen.getByRole('textbox', { name: new RegExp(`^${t(name)}`) })
  const propose = screen.getByRole('button', { name: t('propose') })
  await userEvent.keyboard('n')
  await field('name').fill('Bed keeper')
  await expect.element(field('slug')).toHaveValue('bed-keeper')
  await field('description').fill('Keeps the beds')
  await field('instructions').fill('What grows in the beds?')
  await field('schedule').fill('61 * * * *')
  const problem = screen.getByText(`${t('line', { n: 12 })}: ${BAD}`)
  await expect.element(problem).toBeVisible()
  await expect.element(propose).toHaveAttribute('aria-disabled')
  await field('schedule').fill('0 7 * * *')
  await expect.element(screen.getByText(t('valid'))).toBeVisible()
  await expectAccessible()
  await propose.click()
  await expect.element(screen.getByText(t('proposed'))).toBeVisible()
  const [intent] = given.map((one) => one.intent)
  expect(intent).toMatchObject({
    action: 'propose-note',
    target: 'agents/bed-keeper/_agent.md',
    payload: { kind: 'note' },
  })
  expect(fieldsOf(intent?.payload.text ?? '')).toMatchObject({
    name: 'Bed keeper',
    slug: 'bed-keeper',
    cron: '0 7 * * *',
    body: 'What grows in the beds?\n',
  })
})
