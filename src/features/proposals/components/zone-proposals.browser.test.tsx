import { expect, it } from 'vitest'
import { z } from 'zod'
import { type GuestProposalView, guestProposalView } from '#contracts/proposal.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { anItem } from '../testing/proposals.ts'
import { ZoneProposals } from './zone-proposals.tsx'

const UNIFIED = ['--- a/Bed.md', '+++ b/Bed.md', '@@ -1,1 +1,1 @@', '-Leeks', '+++ Peas'].join('\n')

/** The page of a guest at an address, with one proposal of these changes. */
function open(at: string, ...changes: GuestProposalView['changes']) {
  const proposals = router({
    zoneList: query(z.object({ items: z.array(guestProposalView), next_cursor: z.null() }), () => ({
      items: [{ ...anItem(1), changes }],
      next_cursor: null,
    })),
  })
  return renderInConsole(<ZoneProposals />, { procedures: { proposals }, at, role: 'guest' })
}

const changeOf = (path: string, unified: string) => ({ path, type: 'replace' as const, unified })
const shownLines = () => document.querySelectorAll('pre > span').length

it('marks to a guest what is removed and added, not the names of the files', async () => {
  const change = changeOf('Bed.md', UNIFIED)
  const named = await open(`/proposals/${anItem(1).proposal_id}`, change)
  await expect.element(named.getByText('-Leeks')).toBeVisible()
  await named.unmount()
  const screen = await open('/proposals', change)
  await screen.getByText('Bed.md', { exact: true }).click()
  await expect.element(screen.getByText('-Leeks')).toBeVisible()
  const unmarked = getComputedStyle(screen.getByText('@@ -1,1 +1,1 @@').element()).backgroundColor
  const isMarked = (line: string) =>
    getComputedStyle(screen.getByText(line, { exact: true }).element()).backgroundColor !== unmarked
  expect(UNIFIED.split('\n').map(isMarked)).toEqual([false, false, false, true, true])
  await expectAccessible()
})

it('draws a change when it is opened, and one of many lines in parts', async () => {
  const long = Array.from({ length: 2_500 }, (_, n) => `+line ${n}`).join('\n')
  const screen = await open('/proposals', changeOf('Bed.md', UNIFIED), changeOf('Long.md', long))
  await expect.element(screen.getByText('Long.md', { exact: true })).toBeVisible()
  expect(shownLines()).toBe(0)
  await screen.getByText('Long.md', { exact: true }).click()
  await expect.poll(shownLines).toBe(1_000)
  await expectAccessible()
  const more = (count: number) =>
    screen.getByRole('button', { name: textsOf('ui')('showRows', { count }), exact: false })
  await more(1_000).click()
  expect(shownLines()).toBe(2_000)
  await more(500).click()
  expect(shownLines()).toBe(2_500)
  await expect.element(more(0)).not.toBeInTheDocument()
})
