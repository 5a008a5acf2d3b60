import { expect, it } from 'vitest'
import { z } from 'zod'
import { projectionFault } from '#contracts/system.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { SYSTEM } from '#lib/testing/system-answers.ts'
import { textsOf } from '#lib/testing/texts.ts'
import { ProjectionFaults } from './projection-faults.tsx'

const t = textsOf('settings')
const FAULT = {
  resource_type: 'run',
  resource_id: 'run_1',
  object_key: 'agents/scout/runs/run_1/steps/02-execute-agent.json',
  message: 'It holds another output.',
  occurred_at: '2026-03-02T09:00:00.000Z',
  retrying: false,
}

function open(faults: (typeof FAULT)[]) {
  const asked: unknown[] = []
  const system = router({
    ...SYSTEM._def.procedures,
    projectionFaults: query(z.object({ items: z.array(projectionFault) }), () => ({ items: faults })),
    retryProjection: mutation(z.object({ retrying: z.literal(true) }), (input) => {
      asked.push(input)
      for (const fault of faults) fault.retrying = true
      return { retrying: true as const }
    }),
  })
  const screen = renderInConsole(<ProjectionFaults />, { procedures: { system }, role: 'operator' })
  return { screen, asked }
}

it('names what is set aside and why, and asks for its retry once', async () => {
  const { screen: opening, asked } = open([{ ...FAULT }])
  const screen = await opening
  await expect.element(screen.getByText(FAULT.message)).toBeVisible()
  await expect.element(screen.getByText(FAULT.object_key)).toBeVisible()
  await expectAccessible()
  const button = screen.getByRole('button', { name: t('retryFault') })
  await button.click()
  await expect.poll(() => asked).toEqual([{ resource_type: 'run', resource_id: 'run_1' }])
  await expect.element(button).toHaveAttribute('aria-disabled', 'true')
})

it('shows nothing while nothing is set aside', async () => {
  const screen = await open([]).screen
  expect(screen.getByText(t('faults')).query()).toBeNull()
})
