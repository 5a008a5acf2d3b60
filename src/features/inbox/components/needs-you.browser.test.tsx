/** One list of all that waits for a person, each entry with its act. */
import { expect, it } from 'vitest'
import { type NeedsAnswer, type NeedView, needsAnswer } from '#contracts/needs.contract.ts'
import { alertLedger, anAlert } from '#features/alerts/testing/alerts.ts'
import { reviewQueue } from '#features/proposals/testing/procedures.ts'
import { aProposal, idOf } from '#features/proposals/testing/proposals.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { NeedsYou } from './needs-you.tsx'

const t = textsOf('inbox')
const AT = '2026-03-02T09:00:00.000Z'
const failed = aProposal(1, { status: 'FAILED', error_code: 'timeout', commands: ['retry', 'discard'] })
const alert = anAlert(1)
const ALL: NeedView[] = [
  { kind: 'failed_proposal', proposal: failed },
  {
    kind: 'agent',
    agent: {
      ...{ slug: 'scout', name: 'Scout', status: 'error', allowed: ['recover'] },
      error: { code: 'INTERNAL', message: 'It broke.', run_ids: [] },
    },
  },
  { kind: 'component', component: 'nlm_backend', status: 'unavailable', message: null, since: AT },
  { kind: 'project', canonical_id: 'cid', name: 'memory', reason: 'unreadable', since: AT },
  {
    kind: 'dead_jobs',
    ...{ count: 10_000, exact: false, newest: { job_id: 'j', code: 'NLM_UNAVAILABLE', since: AT } },
  },
  { kind: 'alert', alert },
  { kind: 'proposal', proposal: aProposal(2) },
]

async function open(items = ALL, role: 'owner' | 'operator' = 'owner') {
  const queue = reviewQueue([failed, aProposal(2)])
  const alerts = alertLedger([alert])
  const answer: NeedsAnswer = { items, count: items.length + 4, more_proposals: 4 }
  const needs = router({
    list: query(needsAnswer, () => (items.length ? answer : { ...answer, more_proposals: 0 })),
  })
  const screen = await renderInConsole(<NeedsYou />, {
    procedures: { ...queue.procedures, ...alerts.procedures, needs },
    role,
  })
  const row = (text: string) => screen.getByRole('listitem').filter({ hasText: text })
  return { ...screen, queue, row }
}

it('shows everything that waits with its reason, each leading on or done there', async () => {
  const screen = await open()
  await expect.element(screen.row(failed.summary)).toBeVisible()
  const hrefs = screen
    .getByRole('main')
    .getByRole('list')
    .getByRole('link')
    .elements()
    .map((link) => link.getAttribute('href'))
  expect([...new Set(hrefs)]).toEqual([
    `/proposals/${idOf(1)}`,
    '/agents/scout',
    '/settings',
    '/leadership/cid',
    '/jobs?tab=failures',
    `/alerts/${alert.alert_id}`,
    `/proposals/${idOf(2)}`,
    '/proposals',
  ])
  await expect.element(screen.row('Scout').getByText('It broke.')).toBeVisible()
  await expect.element(screen.getByText(t('projectReason.unreadable'))).toBeVisible()
  await expect.element(screen.getByText('≥ 10,000 dead jobs')).toBeVisible()
  await expect.element(screen.getByText(t('moreProposals', { count: 4 }))).toBeVisible()
  await expectAccessible()
  await screen
    .row(failed.summary)
    .getByRole('button', { name: textsOf('proposals')('retry') })
    .click()
  await expect.poll(() => screen.queue.asked).toEqual([{ command: 'retry', input: { proposal_id: idOf(1) } }])
})

it('says so when nothing waits, to each what they can do', async () => {
  const owner = await open([])
  await expect.element(owner.getByText(t('caughtUp'))).toBeVisible()
  await owner.unmount()
  const operator = await open([], 'operator')
  await expect.element(operator.getByText(t('nothingNeedsYou'))).toBeVisible()
})
