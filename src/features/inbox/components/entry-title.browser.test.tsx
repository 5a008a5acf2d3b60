import { expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { inboxDays } from '#contracts/inbox.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { useEntryTitle } from '../use-entry-title.ts'
import { DayStrip } from './day-strip.tsx'

const t = textsOf('inbox')

type Named = Parameters<ReturnType<typeof useEntryTitle>>[0]

function Title(entry: Named) {
  return <h1>{useEntryTitle()(entry)}</h1>
}

it.each([
  ['its summary or question', 'propose-artifact', 'agents/scout', 'What keeps slugs away?', undefined],
  ['the agent of work without a question', 'propose-artifact', 'agents/orphan-scout', null, 'orphan-scout'],
  ['the target of anything else', 'propose-tag', 'notes/Beds/North bed.md', null, undefined],
])('calls an entry by %s', async (_by, action, target, summary, agent) => {
  const screen = await renderInConsole(<Title summary={summary} intent={{ action, target }} />)
  const expected = summary ?? (agent ? t('workOf', { agent }) : target)
  await expect.element(screen.getByRole('heading', { level: 1, name: expected })).toBeVisible()
})

it('shows the last 30 days as columns that lead to a day, and as a table', async () => {
  const days = Array.from({ length: 30 }, (_, n) => ({
    day: `2026-10-${String(n + 1).padStart(2, '0')}`,
    ...{ arrived: n, approved: n === 29 ? 3 : 0, rejected: n === 29 ? 1 : 0, expired: 0 },
  }))
  const procedures = { inbox: router({ days: query(inboxDays, () => ({ days })) }) }
  const screen = await renderInConsole(<DayStrip />, { procedures, at: '/inbox' })
  const labelOf = (day: string, arrived: number, approved = 0, rejected = 0) =>
    t('dayLabel', { day, arrived, approved, rejected, expired: 0 })
  const last = screen.getByRole('link', { name: labelOf('Oct 30', 29, 3, 1) })
  await expect.element(last).toBeVisible()
  await expectAccessible()
  expect(document.querySelectorAll('svg [data-part=approved]')).toHaveLength(1)
  expect(document.querySelectorAll('svg[role=group] a[tabindex="0"]')).toHaveLength(1)
  ;(last.element() as unknown as SVGAElement).focus()
  await userEvent.keyboard('{ArrowLeft}')
  await expect.element(screen.getByRole('link', { name: labelOf('Oct 29', 28) })).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => window.location.search).toBe('?from=2026-10-29&to=2026-10-29')
  await expect
    .poll(() => document.querySelector('svg [aria-current=true]')?.getAttribute('aria-label'))
    .toBe(labelOf('Oct 29', 28))
  await screen.getByText(textsOf('ui')('showTable')).click()
  const table = screen.getByRole('table', { name: t('days') })
  await expect.poll(() => table.getByRole('row').elements().length).toBe(31)
  await expectAccessible()
})
