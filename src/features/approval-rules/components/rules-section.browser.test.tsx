import { expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import { z } from 'zod'
import {
  type DryRunResult,
  dryRunResult,
  openedAnswer,
  type RuleView,
  ruleList,
  ruleRef,
  ruleView,
} from '#contracts/approval-rule.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { RulesSection } from './rules-section.tsx'

const t = textsOf('approvalRules')
const AT = '2026-03-02T09:00:00.000Z'
const TAGS: RuleView = {
  rule_id: 'rule_0a1b2c3d4e5f',
  version: 3,
  name: 'Tags in the log',
  mode: 'shadow',
  condition: { action: 'propose-tag', 'target.path': { prefix: 'notes/Log/' } },
  daily_cap: 20,
  expires_at: '2099-01-01T00:00:00.000Z',
  ended: false,
  broken: null,
  matched_today: 4,
  approved_today: 0,
  last_matched_at: AT,
  created_by: 'owner',
  updated_by: 'owner',
  created_at: AT,
  updated_at: AT,
}
const BROKEN: RuleView = {
  ...TAGS,
  rule_id: 'rule_bbbbbbbbbbbb',
  name: 'Old rule',
  mode: 'on',
  condition: { mood: 'good' },
  broken: 'condition.mood is no field of a proposal.',
}
const disagreed = ['a', 'b'].map((letter) => ({
  proposal_id: `prop_2026-03-02_${letter.repeat(12)}`,
  summary: `Proposal ${letter}`,
  kind: 'rejected' as const,
  decided_at: AT,
  decision_note: 'Not in the log, please.',
  reason_code: null,
}))
const TESTED: DryRunResult = {
  from: AT,
  to: AT,
  evaluated: 240,
  matched: 212,
  agreed: 200,
  disagreed,
  disagreed_total: 2,
  undecided: 10,
  kept_back: 3,
  busiest_day: 9,
  truncated: false,
  dry_run_token: 'none opened',
}

async function open({
  role = 'owner',
  at = '/settings',
  refuse = null as Refused | null,
  tested = TESTED,
} = {}) {
  const asked: [string, unknown][] = []
  const shown = { rules: [TAGS, BROKEN] }
  const answer =
    <T,>(what: string, value: (input: never) => T) =>
    (input: unknown) => {
      asked.push([what, input])
      if (refuse) throw refuse
      return value(input as never)
    }
  const approvalRules = router({
    list: query(ruleList, () => ({ items: shown.rules })),
    create: mutation(
      ruleView,
      answer('create', () => TAGS),
    ),
    edit: mutation(
      ruleView,
      answer('edit', () => TAGS),
    ),
    remove: mutation(
      ruleRef,
      answer('remove', () => ({ rule_id: TAGS.rule_id })),
    ),
    order: mutation(
      ruleList,
      answer('order', () => ({ items: [] })),
    ),
    setMode: mutation(
      ruleView,
      answer('setMode', () => ({ ...TAGS, mode: 'off' as const })),
    ),
    turnOn: mutation(
      ruleView,
      answer('turnOn', () => ({ ...TAGS, mode: 'on' as const })),
    ),
    dryRun: mutation(
      dryRunResult,
      answer('dryRun', () => tested),
    ),
    opened: mutation(
      openedAnswer,
      answer('opened', (input: { proposal_ids: string[] }) => ({
        dry_run_token: `opened ${input.proposal_ids.length}`,
        left: 2 - input.proposal_ids.length,
      })),
    ),
  })
  const screen = await renderInConsole(<RulesSection />, {
    procedures: { approvalRules },
    role: z.enum(['owner', 'operator']).parse(role),
    at,
  })
  await expect.element(screen.getByText(TAGS.name)).toBeVisible()
  const act = async (label: string, rule = TAGS) => {
    await screen.getByRole('button', { name: t('actionsOf', { name: rule.name }) }).click()
    await screen.getByRole('menuitem', { name: label }).click()
  }
  const dialog = screen.getByRole('dialog')
  const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
  return { ...screen, asked, shown, act, dialog, press }
}

it('asks before one is removed', async () => {
  const { act, dialog } = await open()
  await act(t('remove'))
  await expect.element(dialog.getByText(t('removeHint'))).toBeVisible()
})

it('lists rules in their order with what they did, and says why one is broken', async () => {
  const screen = await open()
  const rows = screen.getByRole('row')
  for (const [row, text] of [
    [1, TAGS.name],
    [1, t('matched', { count: 4 })],
    [1, 'action = propose-tag · target.path = notes/Log/…'],
    [2, BROKEN.name],
    [2, t('states.broken')],
    [2, t('brokenHint', { reason: BROKEN.broken ?? '' })],
  ] as const)
    await expect.element(rows.nth(row).getByText(text)).toBeVisible()
  await expectAccessible()
  await screen.act(t('down'))
  await screen.act(t('toOff'))
  await vi.waitFor(() => expect(screen.asked).toHaveLength(2))
  expect(screen.asked).toEqual([
    ['order', { rule_ids: [BROKEN.rule_id, TAGS.rule_id] }],
    ['setMode', { rule_id: TAGS.rule_id, mode: 'off' }],
  ])
})

it('keeps what is written about a rule while the counters of another one move', async () => {
  const screen = await open()
  await screen.act(t('edit'))
  const name = screen.dialog.getByRole('textbox', { name: new RegExp(`^${t('name')}`) })
  await name.fill('Tags in the diary')
  screen.shown.rules = [TAGS, { ...BROKEN, matched_today: 9 }]
  const resource = { type: 'proposal', id: 'prop_2026-03-02_aaaaaaaaaaaa' }
  screen.network.publish({ id: '1', topic: 'proposal.created', resource })
  await expect.element(screen.getByText(t('matched', { count: 9 }))).toBeInTheDocument()
  await expect.element(name).toHaveValue('Tags in the diary')
  await expect.element(name).toHaveFocus()
})

it('is saved as an edit of the version that was opened, whatever became of it meanwhile', async () => {
  const screen = await open()
  await screen.act(t('edit'))
  const name = screen.dialog.getByRole('textbox', { name: new RegExp(`^${t('name')}`) })
  await name.fill('Tags in the diary')
  screen.shown.rules = [{ ...TAGS, version: 4, daily_cap: 5, matched_today: 7 }, BROKEN]
  const resource = { type: 'proposal', id: 'prop_2026-03-02_aaaaaaaaaaaa' }
  screen.network.publish({ id: '1', topic: 'proposal.created', resource })
  await expect.element(screen.getByText(t('matched', { count: 7 }))).toBeInTheDocument()
  await expect.element(name).toHaveValue('Tags in the diary')
  await screen.press(t('save'))
  await expect.poll(() => screen.asked).toHaveLength(1)
  expect(screen.asked).toMatchObject([
    ['edit', { rule_id: TAGS.rule_id, version: 3, name: 'Tags in the diary', daily_cap: 20 }],
  ])
})

it('is turned on only after each disagreement was opened', async () => {
  const screen = await open()
  await screen.act(t('test'))
  await screen.press(t('testOnly'))
  await expect
    .element(screen.dialog.getByRole('status'))
    .toHaveTextContent(`${t('would', { matched: 212, evaluated: 240 })} ${t('disagreed', { count: 2 })}`)
  const turnOn = screen.dialog.getByRole('button', { name: t('turnOn'), exact: true })
  await expect.element(turnOn).toHaveAccessibleDescription(t('openFirst', { count: 2 }))
  await expectAccessible()
  // The page that a link opens is not this test's.
  const stay = (event: Event) => event.preventDefault()
  document.addEventListener('click', stay)
  onTestFinished(() => document.removeEventListener('click', stay))
  await screen.dialog.getByRole('link', { name: 'Proposal a' }).click()
  await expect.element(turnOn).toHaveAccessibleDescription(t('openFirst', { count: 1 }))
  await screen.dialog.getByRole('link', { name: 'Proposal b' }).click()
  await expect.element(turnOn).not.toHaveAttribute('aria-disabled')
  await turnOn.click()
  await expect.element(screen.dialog).not.toBeInTheDocument()
  const { condition, daily_cap, expires_at, rule_id } = TAGS
  expect(screen.asked[0]).toEqual(['dryRun', { rule: { condition, daily_cap, expires_at } }])
  expect(screen.asked.at(-1)).toEqual(['turnOn', { rule_id, dry_run_token: 'opened 2' }])
})

it('refuses to turn on what disagrees too often', async () => {
  const screen = await open({ tested: { ...TESTED, disagreed_total: 51 } })
  await screen.act(t('test'))
  await screen.press(t('testOnly'))
  const turnOn = screen.dialog.getByRole('button', { name: t('turnOn'), exact: true })
  await expect.element(turnOn).toHaveAccessibleDescription(t('tooMany'))
})

it('creates a rule from a link, and shows at its field what the server refuses', async () => {
  const details = [{ field: 'condition.mood', message: 'is no field of a proposal' }]
  const refuse = new Refused('VALIDATION_FAILED', 'No such field.', details)
  const link = '/settings?rule=new&agent=gardener&action=propose-tag&path=notes%2FLog%2F'
  const screen = await open({ at: link, refuse })
  await expect.element(screen.dialog.getByLabelText(t('agent'))).toHaveValue('gardener')
  await expectAccessible()
  const others = screen.dialog.getByLabelText(t('others'))
  await others.fill('no JSON')
  await screen.press(t('create'))
  await expect.element(others).toHaveAccessibleDescription(t('othersFault'))
  expect(screen.asked).toEqual([])
  await others.fill('{ "mood": "good" }')
  await screen.press(t('create'))
  await expect.element(others).toHaveAccessibleDescription('is no field of a proposal')
  expect(screen.asked).toMatchObject([
    [
      'create',
      {
        condition: {
          agent: 'gardener',
          action: 'propose-tag',
          'target.path': { prefix: 'notes/Log/' },
          mood: 'good',
        },
        daily_cap: 20,
      },
    ],
  ])
})

it('shows operators the rules and no way to change them, and fits a phone', async () => {
  await page.viewport(390, 844)
  onTestFinished(() => page.viewport(1280, 800))
  const screen = await open({ role: 'operator' })
  expect(screen.getByRole('button', { name: t('actionsOf', { name: TAGS.name }) }).query()).toBeNull()
  await expect
    .element(screen.getByRole('button', { name: t('create') }))
    .toHaveAttribute('aria-disabled', 'true')
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
  await expectAccessible()
})

it('keeps a rule that is being written: without a network, and when its form is closed', async () => {
  const link = '/settings?rule=new&agent=gardener&path=notes%2FLog%2F'
  const screen = await open({ at: link })
  const name = screen.dialog.getByRole('textbox', { name: new RegExp(`^${t('name')}`) })
  await name.fill('Tags in the diary')
  screen.network.disconnect()
  await expect.element(screen.getByText(textsOf('live')('offlineBanner'))).toBeInTheDocument()
  await expect.element(name).toHaveValue('Tags in the diary')
  screen.network.connect()
  await screen.press(textsOf('ui')('close'))
  await expect.element(screen.dialog).not.toBeInTheDocument()
  const create = screen.getByRole('button', { name: t('create') })
  await create.click()
  // What was written about one agent is not put into the form of another.
  await expect.element(name).toHaveValue('')
  await name.fill('Every tag')
  await screen.press(textsOf('ui')('close'))
  await create.click()
  await expect.element(name).toHaveValue('Every tag')
  await screen.press(t('create'))
  await expect.element(screen.dialog).not.toBeInTheDocument()
  await create.click()
  await expect.element(name).toHaveValue('')
})
