import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { type RunDetail, runPage } from '#contracts/run.contract.ts'
import { type RunRequestInput, type RunRerunInput, runRequested } from '#contracts/run-commands.contract.ts'
import { type RunCompareInput, runComparison } from '#contracts/run-comparison.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import type { Session } from '#lib/session.tsx'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { aComparison, LEFT, RIGHT } from '../testing/comparison.ts'
import { CancelRun } from './cancel-run.tsx'
import { CompareRunsPage } from './compare-page.tsx'
import { CompareRun } from './compare-run.tsx'
import { RerunRun } from './rerun-run.tsx'
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

it('asks before a run is cancelled, and which run it is compared with', async () => {
  const live = { ...ENDED, cancellable: true, cancel_requested: false, agent_name: 'Librarian' } as RunDetail
  const shown = (
    <>
      <CancelRun run={live} />
      <CompareRun run={live} />
    </>
  )
  const list = query(runPage, () => ({ items: [], next_cursor: null }))
  const screen = await renderInConsole(shown, { procedures: { runs: router({ list }) }, at: '/runs/1' })
  for (const [key, title] of [
    ['c', t('cancelTitle')],
    ['d', t('compare.with')],
  ] as const) {
    await userEvent.keyboard(key)
    await expect.element(screen.getByRole('dialog').getByRole('heading', { name: title })).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
  }
})

it('keeps the reason that is being written when the run ends meanwhile', async () => {
  const live = { ...ENDED, cancellable: true, cancel_requested: false } as RunDetail
  let end: () => void = () => undefined
  function Shown() {
    const [run, setRun] = useState(live)
    end = () => setRun({ ...live, cancellable: false, status: 'completed' })
    return (
      <>
        <p>{run.status}</p>
        <CancelRun run={run} />
      </>
    )
  }
  const screen = await renderInConsole(<Shown />, { at: '/runs/1' })
  await userEvent.keyboard('c')
  const dialog = screen.getByRole('dialog')
  await dialog.getByRole('textbox').fill('It asks for')
  end()
  await expect.element(screen.getByText('completed', { exact: true })).toBeInTheDocument()
  await expect.element(dialog.getByRole('textbox')).toHaveValue('It asks for')
  await dialog.getByRole('button', { name: t('keep') }).click()
  await expect.element(screen.getByRole('button', { name: t('cancel') })).not.toBeInTheDocument()
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

describe('a rerun', () => {
  async function openRerun(role: Session['role'] = 'owner', rerunnable_from = [1, 2, 3]) {
    const asked: RunRerunInput[] = []
    const rerun = mutation(runRequested, (input: RunRerunInput) => {
      asked.push(input)
      return { run_id: AGAIN, inbox_id: 'inbox_1', status: 'queued' as const, unchanged: false }
    })
    const run = { ...ENDED, rerunnable_from } as RunDetail
    const screen = await renderInConsole(<RerunRun run={run} />, {
      procedures: { runs: router({ rerun }) },
      at: `/runs/${ENDED.run_id}`,
      role,
    })
    return { ...screen, asked }
  }

  it('says what it reuses and what it pays for, and starts from the last step by keys alone', async () => {
    const { asked, ...screen } = await openRerun()
    await expect.element(screen.getByRole('button', { name: t('rerun.act') })).toBeVisible()
    await userEvent.keyboard('f')
    await expect.element(screen.getByText(t('rerun.cost.results'))).toBeVisible()
    await expectAccessible()
    await userEvent.keyboard('{Tab}To see whether it holds.{Enter}')
    await screen.getByRole('button', { name: t('rerun.confirm') }).click()
    await expect.poll(() => window.location.pathname).toBe(`/runs/${AGAIN}`)
    expect(asked).toEqual([
      {
        run_id: ENDED.run_id,
        from_step: 3,
        reason: 'To see whether it holds.',
        correlation_id: expect.any(String),
      },
    ])
  })

  it('takes other parameters with the first step alone, and keeps what is no text', async () => {
    const { asked, ...screen } = await openRerun()
    await userEvent.keyboard('f')
    const from = screen.getByRole('combobox')
    await from.selectOptions('2')
    await expect.element(screen.getByText(t('rerun.cost.agent'))).toBeVisible()
    expect(screen.getByRole('textbox', { name: 'question' }).elements()).toHaveLength(0)
    await from.selectOptions('1')
    await screen.getByRole('textbox', { name: 'question' }).fill('What do slugs like?')
    await screen.getByRole('textbox', { name: t('rerun.reason'), exact: false }).fill('Another question')
    await screen.getByRole('button', { name: t('rerun.confirm') }).click()
    await expect.poll(() => asked.length).toBe(1)
    expect(asked[0]).toMatchObject({ from_step: 1, params: { question: 'What do slugs like?', depth: 2 } })
  })

  it('offers no step that has nothing to reuse, nothing while the run goes on, and nothing to an operator', async () => {
    const { asked, ...screen } = await openRerun('operator', [1])
    await expect
      .element(screen.getByRole('button', { name: t('rerun.act') }))
      .toHaveAttribute('aria-disabled', 'true')
    await userEvent.keyboard('f')
    expect(document.querySelector('dialog[open]')).toBeNull()
    await screen.unmount()
    const ended = await openRerun('owner', [1])
    await userEvent.keyboard('f')
    expect(
      [...document.querySelectorAll('dialog option')].map((o) => (o as HTMLOptionElement).disabled),
    ).toEqual([false, true, true])
    await ended.unmount()
    await openRerun('owner', [])
    expect(page.getByRole('button', { name: t('rerun.act') }).elements()).toHaveLength(0)
  })
})

describe('a comparison', () => {
  const openPage = async (at: string) => {
    const asked: RunCompareInput[] = []
    const compare = query(runComparison, (input: RunCompareInput) => {
      asked.push(input)
      return aComparison(input.a, input.b)
    })
    const screen = await renderInConsole(<CompareRunsPage />, {
      procedures: { runs: router({ compare }) },
      at,
    })
    return { ...screen, asked }
  }

  it('asks for two runs where the address names none', async () => {
    const none = await openPage('/runs/compare?a=odd')
    await expect.element(none.getByRole('heading', { name: t('compare.choose') })).toBeVisible()
    expect(none.asked).toEqual([])
  })

  it('names the first difference, leads to it by a key, and swaps its sides in the address', async () => {
    const { asked, ...screen } = await openPage(`/runs/compare?a=${LEFT}&b=${RIGHT}`)
    await expect.element(screen.getByText(t('compare.firstIn.step', { n: 2 }))).toBeVisible()
    await expect.element(screen.getByText('and beer traps', { exact: false }).first()).toBeVisible()
    await expectAccessible()
    await userEvent.keyboard('f')
    expect(document.activeElement?.matches('details[data-first-difference]')).toBe(true)
    expect(document.activeElement?.textContent).toContain('summary')
    await userEvent.keyboard('s')
    await expect.poll(() => new URLSearchParams(window.location.search).get('a')).toBe(RIGHT)
    await expect
      .poll(() => asked)
      .toEqual([
        { a: LEFT, b: RIGHT },
        { a: RIGHT, b: LEFT },
      ])
  })

  it('stacks its sides on a phone', async () => {
    await page.viewport(390, 844)
    const screen = await openPage(`/runs/compare?a=${LEFT}&b=${RIGHT}`)
    await expect.element(screen.getByText(t('compare.firstIn.step', { n: 2 }))).toBeVisible()
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
    await page.viewport(1280, 800)
  })
})
