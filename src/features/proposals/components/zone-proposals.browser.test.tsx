import { expect, it } from 'vitest'
import { z } from 'zod'
import { guestProposalView } from '#contracts/proposal.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { anItem } from '../testing/proposals.ts'
import { ZoneProposals } from './zone-proposals.tsx'

const UNIFIED = ['--- a/Bed.md', '+++ b/Bed.md', '@@ -1,1 +1,1 @@', '-Leeks', '+++ Peas'].join('\n')

it('marks to a guest what is removed and added, not the names of the files', async () => {
  const change = { path: 'Bed.md', type: 'replace', unified: UNIFIED }
  const proposals = router({
    zoneList: query(z.object({ items: z.array(guestProposalView), next_cursor: z.null() }), () => ({
      items: [{ ...anItem(1), changes: [change] }],
      next_cursor: null,
    })),
  })
  const open = (at: string) =>
    renderInConsole(<ZoneProposals />, { procedures: { proposals }, at, role: 'guest' })
  const named = await open(`/proposals/${anItem(1).proposal_id}`)
  await expect.element(named.getByText('-Leeks')).toBeVisible()
  await named.unmount()
  const screen = await open('/proposals')
  await expect.element(screen.getByText('-Leeks')).not.toBeVisible()
  await screen.getByText('Bed.md', { exact: true }).click()
  const unmarked = getComputedStyle(screen.getByText('@@ -1,1 +1,1 @@').element()).backgroundColor
  const isMarked = (line: string) =>
    getComputedStyle(screen.getByText(line, { exact: true }).element()).backgroundColor !== unmarked
  expect(UNIFIED.split('\n').map(isMarked)).toEqual([false, false, false, true, true])
  await expectAccessible()
})
