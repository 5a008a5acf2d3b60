/** One list of all that waits for a person, each entry with its act. */
import { expect, it } from 'vitest'
import { type AlertView, alertView } from '#contracts/alert.contract.ts'
import { inboxDays, inboxPage, inboxStats } from '#contracts/inbox.contract.ts'
import {
  digestRef,
  type NeedsAnswer,
  type NeedsDigest,
  type NeedView,
  needsAnswer,
} from '#contracts/needs.contract.ts'
import { type ProposalItem, proposalCounts, proposalItem } from '#contracts/proposal.contract.ts'
import { commandAnswer } from '#contracts/proposal-commands.contract.ts'
import { commandsFor } from '#domain/proposal/proposal-commands.rules.ts'
import { InboxPage } from '#features/inbox/index.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { NeedsYou } from './needs-you.tsx'

const t = textsOf('needs')
const AT = '2026-03-02T09:00:00.000Z'
const idOf = (n: number) => `prop_2026-03-02_${String(n).padStart(12, '0')}`
const aProposal = (n: number, more: Partial<ProposalItem> = {}) =>
  proposalItem.parse({
    ...{ id: idOf(n), proposal_id: idOf(n), inbox_entry_id: 'inbox_2026-03-02_aaaaaa', status: 'PENDING' },
    ...{
      summary: `Proposal number ${n}`,
      action: 'propose-edit',
      target: { type: 'note', path: 'notes/a.md' },
    },
    source: { type: 'agent', identity: 'agent:scout', run_id: null, agent_version: '1.0.0', tainted: false },
    ...{ agent: 'scout', run_id: null, priority: 'normal', created_at: AT, updated_at: AT, expires_at: AT },
    ...{ decided_by: null, decided_at: null, apply_not_before: null, git_commit: null, error_code: null },
    ...{
      files: 1,
      additions: 1,
      deletions: 0,
      archived: false,
      archived_at: null,
      seen_at: null,
      seen: false,
    },
    ...{
      seen_again: 0,
      freshness: null,
      commands: [],
      risk: null,
      snoozed_until: null,
      awaiting_changes_since: null,
      ...more,
    },
  })
const subject = { archived: false, snoozed: false, inConflict: false, isEditable: true, hasAgent: true }
const failure = { status: 'FAILED', errorCode: 'timeout', awaitsChanges: false } as const
const failed = aProposal(1, {
  status: 'FAILED',
  error_code: 'timeout',
  commands: commandsFor('owner', { ...subject, ...failure }),
})
const alert = alertView.parse({
  ...{ alert_id: 'alert-1', status: 'open', rule: 'StorageFull', resource: 'disk', severity: 'warning' },
  ...{ condition: 'storage_used', unit: 'share', value: 0.915, samples: null, read_at: AT, opened_at: AT },
  ...{ threshold: { comparison: '>', value: 0.8 }, closes: { comparison: '<', value: 0.75 } },
  ...{ escalated_at: null, acknowledged_at: null, acknowledged_by: null, note: null, closed_at: null },
} satisfies AlertView)
const DIGEST: NeedsDigest = {
  day: '2026-03-02',
  counts: { expiring: 3, conflicts: 2, proposals: 9, failed: 0, questions: 1, dead_jobs: 5, other: 0 },
  created_at: AT,
}
const ALL: NeedView[] = [
  { kind: 'failed_proposal', proposal: failed },
  {
    kind: 'question',
    question: {
      ...{ question_id: 'q', status: 'open', run_id: 'run_1', agent_slug: 'scout', agent_name: 'Keeper' },
      ...{ run_title: 'About beds', text: 'Which bed?', choices: [], default_answer: null },
      ...{ asked_at: AT, expires_at: AT, answer: null, answered_by: null, answered_at: null },
    },
  },
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
    ...{ count: 10_000, exact: false, newest: { job_id: 'j', code: 'RATE_LIMIT', since: AT } },
  },
  { kind: 'alert', alert },
  { kind: 'proposal', proposal: aProposal(2) },
]

async function open(items = ALL, role: 'owner' | 'operator' = 'owner') {
  const retried: unknown[] = []
  let reads = 0
  const proposals = router({
    retry: mutation(commandAnswer, (input: unknown) => {
      retried.push(input)
      return { unchanged: false, proposal: failed }
    }),
  })
  const answer: NeedsAnswer = { items, count: items.length + 4, more_proposals: 4, digest: DIGEST }
  const needs = router({
    list: query(needsAnswer, () => {
      reads += 1
      return items.length ? answer : { ...answer, more_proposals: 0, digest: null }
    }),
    readDigest: mutation(digestRef, (input: { day: string }) => {
      answer.digest = null
      return input
    }),
  })
  const screen = await renderInConsole(<NeedsYou />, {
    procedures: { proposals, needs },
    role,
  })
  const row = (text: string) => screen.getByRole('listitem').filter({ hasText: text })
  return { ...screen, retried, row, reads: () => reads }
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
    '/runs/run_1',
    '/agents/scout',
    '/settings',
    '/leadership/cid',
    '/jobs?tab=failures',
    `/alerts/${alert.alert_id}`,
    `/proposals/${idOf(2)}`,
    '/proposals',
  ])
  const act = t('actOn', { act: t('answer'), title: 'Which bed?' })
  await expect.element(screen.row('Which bed?').getByRole('link', { name: act })).toBeVisible()
  await expect.element(screen.row('Scout').getByText('It broke.')).toBeVisible()
  await expect.element(screen.getByText(t('projectReason.unreadable'))).toBeVisible()
  await expect.element(screen.getByText('≥ 10,000 dead jobs')).toBeVisible()
  await expect.element(screen.getByText(textsOf('jobs')('errors.RATE_LIMIT'))).toBeVisible()
  await expect.element(screen.getByText(t('moreProposals', { count: 4 }))).toBeVisible()
  const reject = textsOf('proposals')('reject')
  await expect.element(screen.row(failed.summary).getByRole('button', { name: reject })).toBeVisible()
  const digest = screen.getByText('3 expire today · 2 conflicts · 1 question · 5 dead jobs')
  await expect.element(digest).toBeVisible()
  await expectAccessible()
  await screen.getByRole('button', { name: t('markDigestRead') }).click()
  await expect.element(digest).not.toBeInTheDocument()
  await screen
    .row(failed.summary)
    .getByRole('button', { name: textsOf('proposals')('retry') })
    .click()
  await expect.poll(() => screen.retried).toEqual([{ proposal_id: idOf(1) }])
})

it('says so when nothing waits, to each what they can do', async () => {
  const owner = await open([])
  await expect.element(owner.getByText(t('caughtUp'))).toBeVisible()
  await owner.unmount()
  const operator = await open([], 'operator')
  await expect.element(operator.getByText(t('nothingNeedsYou'), { exact: true })).toBeVisible()
  await expect.element(operator.getByText(t('nothingNeedsYouHint'))).toBeVisible()
})

it('says above the list that all is done only where nothing else waits either', async () => {
  const waiting = {
    waiting: 0,
    expiring_today: 0,
    high_priority: 0,
    snoozed: 0,
    awaiting_changes: 0,
    unseen: 0,
  }
  const proposals = router({
    counts: query(proposalCounts, () => ({
      ...waiting,
      ...{ in_conflict: { count: 0, exact: true }, applying: 0, failed: 0 },
    })),
  })
  const inbox = router({
    list: query(inboxPage, () => ({ items: [], next_cursor: null })),
    stats: query(inboxStats, () => ({ pending: 0, processed_today: 0, rejected_today: 0, expired_today: 0 })),
    days: query(inboxDays, () => ({ days: [] })),
  })
  const show = async (items: NeedView[]) => {
    const needs = router({
      list: query(needsAnswer, () => ({ items, count: items.length, more_proposals: 0, digest: null })),
    })
    return renderInConsole(<InboxPage needs={<NeedsYou />} />, { procedures: { proposals, inbox, needs } })
  }
  const one = await show(ALL.filter(({ kind }) => kind === 'question'))
  await expect.element(one.getByText(/No proposals to review, 1 other item needs you; /)).toBeVisible()
  expect(one.getByText(t('caughtUp')).elements()).toEqual([])
  await one.unmount()
  const none = await show([])
  await expect.element(none.getByText(`${t('caughtUp')}; all systems operational`)).toBeVisible()
})

it('keeps an entry that is being dealt with, though it needs nobody any more', async () => {
  const items: NeedView[] = [
    { kind: 'alert', alert },
    { kind: 'proposal', proposal: aProposal(2) },
  ]
  const screen = await open(items)
  await screen.getByRole('button', { name: textsOf('alerts')('acknowledge') }).click()
  const note = screen.getByRole('dialog').getByRole('textbox')
  await note.fill('Disk is being')
  items.shift()
  const before = screen.reads()
  screen.network.publish({ id: '1', topic: 'incident.changed', resource: { type: 'alert', id: 'alert-1' } })
  await expect.poll(screen.reads).toBeGreaterThan(before)
  await note.fill('Disk is being replaced')
  await expect.element(note).toHaveValue('Disk is being replaced')
  await screen
    .getByRole('dialog')
    .getByRole('button', { name: textsOf('ui')('cancel') })
    .click()
  await expect.element(screen.getByText('disk', { exact: true })).not.toBeInTheDocument()
})
