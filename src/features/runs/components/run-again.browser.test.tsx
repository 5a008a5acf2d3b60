import { expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { type RunDetail, type RunRequestInput, runRequested } from '#contracts/run.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import type { Session } from '#lib/session.tsx'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { mutation, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { RunAgain } from './run-again.tsx'

const t = textsOf('runs')
const AGAIN = 'run_2026-03-02_100000_aaaaaa'
const ENDED: Partial<RunDetail> = {
  run_id: 'run_2026-03-02_090000_aaaaaa',
  agent_slug: 'librarian',
  priority: 'high',
  params: { question: 'What keeps slugs away?', depth: 2 },
  finished_at: '2026-03-02T09:00:00.000Z',
}

async function open(
  more: Partial<RunDetail> = {},
  role: Session['role'] = 'owner',
  refusals: Refused[] = [],
) {
  const asked: RunRequestInput[] = []
  const request = mutation(runRequested, (input: RunRequestInput) => {
    asked.push(input)
    const refusal = refusals.shift()
    if (refusal) throw refusal
    return { run_id: AGAIN, inbox_id: 'inbox_1', status: 'queued' as const, unchanged: false }
  })
  const screen = await renderInConsole(<RunAgain run={{ ...ENDED, ...more } as RunDetail} />, {
    procedures: { runs: router({ request }) },
    at: `/runs/${ENDED.run_id}`,
    role,
  })
  return { ...screen, asked, button: screen.getByRole('button', { name: t('again') }) }
}

it('runs an ended run again with its parameters by one key, and opens the new one', async () => {
  const { asked, button } = await open()
  await expect.element(button).toBeEnabled()
  await expectAccessible()
  await userEvent.keyboard('r')
  await expect.poll(() => window.location.pathname).toBe(`/runs/${AGAIN}`)
  expect(asked).toEqual([
    {
      slug: 'librarian',
      params: ENDED.params,
      priority: 'high',
      correlation_id: expect.stringMatching(/^[\w-]+$/),
    },
  ])
})

it('asks for one run, however often it is pressed', async () => {
  const { asked } = await open()
  await userEvent.keyboard('rr')
  await expect.poll(() => window.location.pathname).toBe(`/runs/${AGAIN}`)
  expect(new Set(asked.map(({ correlation_id }) => correlation_id)).size).toBe(1)
})

const ENTRY = { inbox_id: 'inbox_1' }
it.each([
  ['another', 'was refused for good', new Refused('QUEUE_FULL', 'Full.', ENTRY)],
  ['the same', 'is kept', new Refused('STORAGE_UNAVAILABLE', 'Kept.', ENTRY)],
  ['the same', 'was not even read', new Refused('RATE_LIMITED', 'Slower.')],
  ['the same', 'nobody knows of', new Refused('INTERNAL_ERROR', 'Broken.')],
] as const)('asks under %s token after a request that %s', async (which, _what, refusal) => {
  const { asked, button, ...screen } = await open({}, 'owner', [refusal])
  await button.click()
  await expect.element(screen.getByRole('alert')).toBeVisible()
  await button.click()
  await expect.poll(() => window.location.pathname).toBe(`/runs/${AGAIN}`)
  expect(new Set(asked.map(({ correlation_id }) => correlation_id)).size).toBe(which === 'another' ? 2 : 1)
})

it('is not there while the run goes on', async () => {
  const { button } = await open({ finished_at: null })
  await expect.element(button).not.toBeInTheDocument()
})

it('says to an operator that it is the owner’s', async () => {
  const { asked, button } = await open({}, 'operator')
  await expect.element(button).toHaveAttribute('aria-disabled', 'true')
  await userEvent.keyboard('r')
  expect(asked).toEqual([])
})
