import { describe, expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { Refused } from '#domain/kernel/errors.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { aJob, idOf, jobLedger } from '../testing/jobs.ts'
import { JobsPage } from './jobs-page.tsx'

const t = textsOf('jobs')
const ui = textsOf('ui')
const THREE = [aJob(1), aJob(2), aJob(3, { status: 'COMPLETE' })]

async function open(ledger = jobLedger(THREE), at = '/jobs') {
  const screen = await renderInConsole(<JobsPage />, { procedures: ledger.procedures, at })
  const row = (n: number) => screen.getByRole('row').filter({ hasText: `Question number ${n}` })
  const box = (n: number) => screen.getByRole('checkbox', { name: ui('selectRow', { name: aJob(n).title }) })
  return { ...screen, ledger, row, box }
}

/** The events of the jobs as the stream would bring them after a command: the page reads again. */
const ledgerMoved = (screen: Awaited<ReturnType<typeof open>>) =>
  screen.network.publish({
    id: '9',
    topic: 'job.status.changed',
    resource: { type: 'job', id: idOf(1) },
    to: 'QUEUED',
  })

const refreshOf = (count: number) => `${ui('noLongerMatch', { count })} · ${ui('refresh')}`

const titles = () =>
  [...document.querySelectorAll('tbody tr')].map((row) =>
    row.querySelector('a[data-stretch]')?.getAttribute('aria-label'),
  )
const titlesOf = (...ns: number[]) => ns.map((n) => aJob(n).title)

describe('a list', () => {
  it('shows its rows without an accessibility fault', async () => {
    const screen = await open()
    await expect.element(screen.row(3)).toBeVisible()
    await expectAccessible()
  })

  it('marks the state whose jobs it shows, and none where it shows all', async () => {
    const marked = () =>
      [...document.querySelectorAll('nav [aria-current=true]')]
        .filter((e) => e.checkVisibility())
        .map((e) => e.textContent)
    const screen = await open(jobLedger(THREE), '/jobs?status=DEAD')
    await expect.element(screen.row(1)).toBeVisible()
    await expect.poll(marked).toEqual([expect.stringMatching(new RegExp(`^${t('state.DEAD')}`))])
    await screen.getByRole('link', { name: new RegExp(`^${t('state.COMPLETE')}`) }).click()
    await expect.poll(() => window.location.search).toBe('?status=COMPLETE')
    await expectAccessible()
    const dead = screen.getByRole('link', {
      name: `${t('state.DEAD')} 0 ${t('machineRate', { in: 5, out: 3 })}`,
    })
    await expect.element(dead).toHaveAccessibleDescription(t('machineMoved', { in: 5, out: 3 }))
    ;(dead.element() as unknown as SVGAElement).focus()
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => window.location.search).toBe('?status=DEAD')
    await screen.getByText(ui('showTable')).first().click()
    await expect
      .poll(
        () =>
          screen
            .getByRole('table', { name: t('states') })
            .getByRole('row')
            .elements().length,
      )
      .toBe(10)
    await expectAccessible()
    await screen.unmount()
    const all = await open()
    await expect.element(all.row(3)).toBeVisible()
    expect(marked()).toEqual([])
  })

  it('selects by mouse and by key, and takes only what can be requeued', async () => {
    const screen = await open()
    await screen.box(1).click()
    await expect
      .element(screen.getByRole('button', { name: t('bulk.requeue.selected', { count: 1 }) }))
      .toBeVisible()
    await userEvent.keyboard('jjJ')
    await expect.element(screen.box(3)).toBeChecked()
    const requeue = screen.getByRole('button', { name: t('bulk.requeue.selected', { count: 2 }) })
    await requeue.click()
    await screen.getByRole('dialog').getByRole('textbox').fill('The store is back.')
    await expectAccessible()
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.element(screen.box(1)).not.toBeChecked()
    expect(screen.ledger.asked.filter(({ command }) => command !== 'list')).toEqual([
      { command: 'preview', input: { action: 'requeue', filter: { ids: [idOf(1), idOf(2), idOf(3)] } } },
      { command: 'execute', input: { token: expect.any(String), reason: 'The store is back.' } },
    ])
  })

  it('has nothing selected that a change of the filters has hidden', async () => {
    const screen = await open(jobLedger([1, 2, 3].map((n) => aJob(n))))
    await screen.box(1).click()
    await screen.box(2).click()
    await screen.getByRole('searchbox', { name: t('search') }).fill('number 3')
    await expect.element(screen.row(1)).not.toBeInTheDocument()
    await screen.box(3).click()
    await screen.getByRole('button', { name: t('bulk.requeue.selected', { count: 1 }) }).click()
    await expect.element(screen.getByRole('dialog')).toBeVisible()
    expect(screen.ledger.asked.filter(({ command }) => command === 'preview')).toEqual([
      { command: 'preview', input: { action: 'requeue', filter: { ids: [idOf(3)] } } },
    ])
  })

  it('selects all rows shown, and says why nothing can be done with them', async () => {
    const screen = await open(jobLedger([aJob(1, { status: 'COMPLETE' })]))
    await screen.getByRole('checkbox', { name: ui('selectAll') }).click()
    const requeue = screen.getByRole('button', { name: t('bulk.requeue.selected', { count: 0 }) })
    await expect.element(requeue).toHaveAccessibleDescription(t('bulkNone'))
  })

  it('loads the next page by the cursor of the last one, below what is there', async () => {
    const screen = await open(
      jobLedger(
        [1, 2, 3, 4, 5].map((n) => aJob(n)),
        { size: 2 },
      ),
    )
    const more = screen.getByRole('button', { name: ui('more') })
    await more.click()
    await expect.element(screen.row(4)).toBeVisible()
    await more.click()
    await expect.element(screen.row(5)).toBeVisible()
    expect(titles()).toEqual(titlesOf(1, 2, 3, 4, 5))
    await expect.element(more).not.toBeInTheDocument()
    expect(screen.ledger.asked.map(({ input }) => (input as { cursor: string }).cursor)).toEqual([
      '0',
      '2',
      '4',
    ])
  })

  it('stays still when a new row comes, says so, and shows it when it is asked', async () => {
    const screen = await open()
    await expect.element(screen.row(1)).toBeVisible()
    screen.ledger.add(aJob(9))
    screen.network.publish({ id: '1', topic: 'job.status.changed', resource: { type: 'job', id: idOf(9) } })
    const fresh = screen.getByRole('button', { name: ui('showNew', { count: 1 }) })
    await expect.element(fresh).toBeVisible()
    expect(titles()).toEqual(titlesOf(1, 2, 3))
    expect(screen.ledger.ratesRead()).toBe(1)
    await expectAccessible()
    await fresh.click()
    await expect.poll(titles).toEqual(titlesOf(9, 1, 2, 3))
  })

  it('says what became of the selected ones, and does not call the next page new', async () => {
    const ledger = jobLedger(
      [1, 2, 3].map((n) => aJob(n)),
      { size: 2 },
    )
    const screen = await open(ledger, '/jobs?status=DEAD')
    await expect.element(screen.row(2)).toBeVisible()
    await screen.getByRole('checkbox', { name: ui('selectAll') }).click()
    await screen.getByRole('button', { name: t('bulk.requeue.selected', { count: 2 }) }).click()
    await screen.getByRole('dialog').getByRole('textbox').fill('The store is back.')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.element(screen.getByText(t('bulk.requeue.done', { count: 2 }))).toBeVisible()
    ledgerMoved(screen)
    await expect.element(screen.row(3)).toBeVisible()
    for (const n of [1, 2]) await expect.element(screen.row(n).getByText(t('state.QUEUED'))).toBeVisible()
    await expect.element(screen.row(3).getByText(t('state.DEAD'))).toBeVisible()
    const refresh = screen.getByRole('button', { name: refreshOf(2) })
    await expectAccessible()
    await refresh.click()
    await expect.poll(titles).toEqual(titlesOf(3))
  })

  it('says what became of all that matched, and offers to take them away', async () => {
    const screen = await open(jobLedger([aJob(1), aJob(2)]), '/jobs?status=DEAD')
    await screen.getByRole('button', { name: t('bulk.requeue.all') }).click()
    await screen.getByRole('dialog').getByRole('textbox').fill('The store is back.')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.element(screen.getByText(t('bulk.requeue.done', { count: 2 }))).toBeVisible()
    ledgerMoved(screen)
    for (const n of [1, 2]) await expect.element(screen.row(n).getByText(t('state.QUEUED'))).toBeVisible()
    await screen.getByRole('button', { name: refreshOf(2) }).click()
    await expect.element(screen.getByText(ui('noMatch'))).toBeVisible()
  })

  it('lists what became of each job, and keeps selected what was skipped', async () => {
    const ledger = jobLedger([aJob(1), aJob(2)])
    ledger.moveOn(idOf(2))
    const screen = await open(ledger, '/jobs?status=DEAD')
    await screen.getByRole('checkbox', { name: ui('selectAll') }).click()
    await screen.getByRole('button', { name: t('bulk.requeue.selected', { count: 2 }) }).click()
    await screen.getByRole('dialog').getByRole('textbox').fill('The store is back.')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    const outcome = screen.getByRole('list', { name: t('bulkOutcome') })
    const skipped = outcome.getByRole('listitem').filter({ hasText: aJob(2).title })
    await expect
      .element(skipped.getByText(t('skippedIn', { state: t('state.CONTEXT_ASSEMBLY') })))
      .toBeVisible()
    await expect
      .element(
        outcome
          .getByRole('listitem')
          .filter({ hasText: aJob(1).title })
          .getByText(t('bulk.requeue.each')),
      )
      .toBeVisible()
    await expectAccessible()
    await screen
      .getByRole('dialog')
      .getByRole('button', { name: ui('close') })
      .first()
      .click()
    await expect.element(screen.box(2)).toBeChecked()
    await expect.element(screen.box(1)).not.toBeChecked()
  })

  it('cancels what is selected in one request, with the number typed', async () => {
    const ledger = jobLedger(
      [1, 2].map((n) => aJob(n, { status: 'QUEUED', finished_at: null })),
      { typedAbove: 1 },
    )
    const screen = await open(ledger)
    await screen.getByRole('checkbox', { name: ui('selectAll') }).click()
    await screen.getByRole('button', { name: t('bulk.cancel.selected', { count: 2 }) }).click()
    const dialog = screen.getByRole('dialog')
    await dialog.getByRole('textbox', { name: ui('reason') }).fill('No longer wanted.')
    const confirm = dialog.getByRole('button', { name: t('cancel') })
    await expect.element(confirm).toHaveAccessibleDescription(t('bulkTyped', { count: 2 }))
    await dialog.getByRole('spinbutton').fill('2')
    await confirm.click()
    await expect.element(screen.getByText(t('bulk.cancel.done', { count: 2 }))).toBeVisible()
    const sent = ledger.asked.filter(({ command }) => command === 'execute')
    expect(sent.map(({ input }) => input)).toEqual([
      { token: expect.any(String), reason: 'No longer wanted.', typed_count: 2 },
    ])
  })

  it('teaches when it is empty', async () => {
    const screen = await open(jobLedger([]))
    await expect.element(screen.getByText(t('empty'))).toBeVisible()
    await expectAccessible()
  })

  it('offers to clear the filters when nothing matches', async () => {
    const screen = await open(jobLedger(THREE), '/jobs?q=sunflower')
    await expect.element(screen.getByText(ui('noMatch'))).toBeVisible()
    await expectAccessible()
    await screen
      .getByRole('main')
      .getByRole('button', { name: ui('clear') })
      .last()
      .click()
    await expect.element(screen.row(1)).toBeVisible()
    expect(window.location.search).toBe('')
  })

  it('says what failed, and reads again when it is asked', async () => {
    const ledger = jobLedger(THREE)
    ledger.fail(new Refused('FORBIDDEN', 'down'))
    const screen = await open(ledger)
    await expect.element(screen.getByRole('alert').getByText(textsOf('errors')('FORBIDDEN'))).toBeVisible()
    await expectAccessible()
    ledger.fail(null)
    await screen.getByRole('button', { name: ui('retry') }).click()
    await expect.element(screen.row(1)).toBeVisible()
  })
})
