import { expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { Refused } from '#domain/kernel/errors.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { aNode, aProject, CID, leadershipLedger } from '../testing/leadership.ts'
import { ProjectPage } from './project-page.tsx'

const t = textsOf('leadership')
const REASON = 'alder is being repaired'

/** Opens the dialog for birch; `confirm` is its button, `fill` writes the name and the reason. */
async function dialogOf(ledger: ReturnType<typeof leadershipLedger>) {
  const screen = await renderInConsole(<ProjectPage cid={CID} />, {
    ...ledger,
    role: 'operator',
    at: `/leadership/${CID}`,
  })
  await screen.getByRole('button', { name: t('promoteNode', { node: 'birch' }) }).click()
  const dialog = screen.getByRole('dialog')
  const confirm = dialog.getByRole('button', { name: t('promoteNode', { node: 'birch' }) })
  const fill = async (name = 'birch') => {
    await userEvent.fill(dialog.getByRole('textbox', { name: t('typeName', { node: 'birch' }) }), name)
    await userEvent.fill(dialog.getByRole('textbox', { name: 'Reason' }), REASON)
  }
  await expect.element(dialog).toBeVisible()
  return { screen, dialog, confirm, fill }
}

const CHANGED = {
  ...{ id: 1, ts: new Date().toISOString(), topic: 'leadership.changed', type: 'leadership.changed' },
  ...{ resource: { type: 'leadership', id: CID }, summary: 'promoted' },
} as never

const withCounts = (alder: number | null, birch: number | null) =>
  aProject({ nodes: [aNode('alder', { obs_count: alder }), aNode('birch', { obs_count: birch })] })

it('asks for the typed name and a reason, and sends the epoch that was shown', async () => {
  const ledger = leadershipLedger()
  const { dialog, confirm, fill, screen } = await dialogOf(ledger)
  await expect.element(dialog.getByText(t('found.nothing'))).toBeVisible()
  await expectAccessible()
  await fill('bir')
  await expect.element(confirm).toHaveAttribute('aria-disabled', 'true')
  await fill()
  await confirm.click()
  await expect
    .poll(() => ledger.sent)
    .toEqual([
      {
        cid: CID,
        primary_node_id: 'birch',
        reason: REASON,
        expected_epoch: 12,
        force: false,
        accepted_loss: 0,
      },
    ])
  await expect.element(screen.getByText(t('promoted', { node: 'birch', epoch: 13, term: 4 }))).toBeVisible()
})

it('states the loss in records, and sends what was shown', async () => {
  const ledger = leadershipLedger({ project: withCounts(112, 70) })
  const { dialog, confirm, fill } = await dialogOf(ledger)
  await expect.element(dialog.getByText(t('lossLine', { count: 42 }))).toBeVisible()
  await expect.element(dialog.getByText(t('found.unpushed', { node: 'alder', count: 12 }))).toBeVisible()
  await expect.element(dialog.getByText(t('found.missing', { node: 'birch', count: 30 }))).toBeVisible()
  await expect.element(dialog.getByText(t('stepUp'))).toBeVisible()
  await expectAccessible()
  await fill()
  await confirm.click()
  await expect.poll(() => ledger.sent[0]?.accepted_loss).toBe(42)
})

it('says that the loss is not known where the old primary never reported a count', async () => {
  const ledger = leadershipLedger({ project: withCounts(null, 100) })
  const { dialog, confirm, fill } = await dialogOf(ledger)
  await expect.element(dialog.getByText(t('lossUnknown'))).toBeVisible()
  await expect.element(dialog.getByText(t('found.unknownPrimary', { node: 'alder' }))).toBeVisible()
  await fill()
  await confirm.click()
  await expect.poll(() => ledger.sent[0]?.accepted_loss).toBeNull()
})

it('interrupts a push only by force, which is asked for by itself', async () => {
  const lock = { state: 'active', node_id: 'alder', age_seconds: 95 } as const
  const ledger = leadershipLedger({ project: aProject({ lock }) })
  const { dialog, confirm, fill } = await dialogOf(ledger)
  await expect
    .element(dialog.getByText(t('found.push_in_flight', { node: 'alder', time: '1 m 35 s' })))
    .toBeVisible()
  await fill()
  await expect.element(confirm).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByRole('checkbox', { name: t('force') }).click()
  await confirm.click()
  await expect.poll(() => ledger.sent[0]?.force).toBe(true)
})

it('asks for force anew for another node, and for another danger', async () => {
  const nodes = [aNode('alder'), aNode('birch'), aNode('cedar')]
  const lock = { state: 'active', node_id: 'alder', age_seconds: 95 } as const
  const ledger = leadershipLedger({ project: aProject({ lock, nodes }) })
  const { screen, dialog, confirm, fill } = await dialogOf(ledger)
  const force = dialog.getByRole('checkbox', { name: t('force') })
  await force.click()
  await dialog.getByRole('combobox').selectOptions('cedar')
  await expect.element(force).not.toBeChecked()
  await dialog.getByRole('combobox').selectOptions('birch')
  await expect.element(force).toBeChecked()
  await fill()
  ledger.become(aProject({ lock: { ...lock, state: 'unreadable' }, nodes }))
  screen.network.publish(CHANGED)
  await expect.element(dialog.getByRole('checkbox', { name: t('forceLock') })).not.toBeChecked()
  await expect.element(confirm).toHaveAttribute('aria-disabled', 'true')
})

it('shows who won when the server refuses a stale page, and keeps what was written', async () => {
  const winner = aProject({ primary_node_id: 'birch', epoch: 13, term: 4 })
  const ledger = leadershipLedger({
    promote: () => {
      ledger.become(winner)
      const lease = { primary_node_id: 'birch', epoch: 13 }
      throw new Refused('EPOCH_STALE', 'stale', { lease, selected_by: 'operator:bob' })
    },
  })
  const { dialog, confirm, fill } = await dialogOf(ledger)
  await fill()
  await confirm.click()
  await expect
    .element(dialog.getByText(t('refusedWinnerBy', { node: 'birch', epoch: 13, actor: 'operator:bob' })))
    .toBeVisible()
  await expect.element(dialog.getByText(t('stale'))).toBeVisible()
  await expect.element(confirm).toHaveAttribute('aria-disabled', 'true')
  await expect.element(dialog.getByRole('textbox', { name: 'Reason' })).toHaveValue(REASON)
  await dialog.getByRole('button', { name: t('review') }).click()
  await expect.element(dialog.getByText(t('found.isPrimary', { node: 'birch' }))).toBeVisible()
})

it('tells of a promotion by somebody else while it is open, before anything is sent', async () => {
  const ledger = leadershipLedger()
  const { screen, dialog, confirm, fill } = await dialogOf(ledger)
  await fill()
  ledger.become(aProject({ primary_node_id: 'birch', epoch: 13, term: 4 }))
  screen.network.publish(CHANGED)
  await expect
    .element(dialog.getByText(t('staleText', { node: 'birch', epoch: 13, shown: 12 })))
    .toBeVisible()
  await expect.element(confirm).toHaveAttribute('aria-disabled', 'true')
  expect(ledger.sent).toEqual([])
})

it('tells who pushes and for how long when the server finds a push', async () => {
  const ledger = leadershipLedger({
    promote: () => {
      throw new Refused('PUSH_IN_FLIGHT', 'busy', {
        lock: { state: 'active', node_id: 'alder', age_seconds: 61 },
      })
    },
  })
  const { dialog, confirm, fill } = await dialogOf(ledger)
  await fill()
  await confirm.click()
  await expect.element(dialog.getByText(t('refusedPush', { node: 'alder', time: '1 m 01 s' }))).toBeVisible()
})

it('opens by its key, and lets the node be chosen there', async () => {
  const screen = await renderInConsole(<ProjectPage cid={CID} />, {
    ...leadershipLedger(),
    role: 'operator',
    at: `/leadership/${CID}`,
  })
  await expect.element(screen.getByRole('heading', { name: 'garden-seedling' })).toBeVisible()
  await userEvent.keyboard('p')
  const dialog = screen.getByRole('dialog')
  await expect
    .element(dialog.getByRole('button', { name: t('promote'), exact: true }))
    .toHaveAttribute('aria-disabled', 'true')
  await dialog.getByRole('combobox').selectOptions('birch')
  await expect.element(dialog.getByText(t('found.nothing'))).toBeVisible()
})
