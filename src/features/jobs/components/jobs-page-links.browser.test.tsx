import { describe, expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { jobDetail } from '#contracts/job.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { viewLedger } from '#lib/testing/view-ledger.ts'
import { AT, aGroup, aJob, idOf, jobLedger } from '../testing/jobs.ts'
import { JobPage } from './job-page.tsx'
import { JobsPage } from './jobs-page.tsx'

const t = textsOf('jobs')
const ui = textsOf('ui')
const v = textsOf('views')
const THREE = [aJob(1), aJob(2), aJob(3, { status: 'COMPLETE' })]

async function open(ledger = jobLedger(THREE), at = '/jobs') {
  const screen = await renderInConsole(<JobsPage />, { procedures: ledger.procedures, at })
  const row = (n: number) => screen.getByRole('row').filter({ hasText: `Question number ${n}` })
  return { ...screen, ledger, row }
}

describe('the page of jobs', () => {
  it('leads from a group of failures to its jobs, and requeues it as one', async () => {
    const error = { code: 'NLM_TIMEOUT', message: 'x', phase: 'NOTEBOOKLM_CALL', retryable: true, at: AT }
    const groups = [aGroup(error.code)]
    const ledger = jobLedger([aJob(1, { error }), aJob(2)], { groups })
    const screen = await open(ledger, '/jobs?tab=failures')
    const requeue = screen.getByRole('button', { name: t('requeueGroup', { count: 1, error: error.code }) })
    await requeue.click()
    const dialog = screen.getByRole('dialog')
    await dialog.getByRole('textbox').fill('It answers again.')
    await dialog.getByRole('button', { name: t('requeue') }).click()
    await expect.element(screen.getByText(t('bulk.requeue.done', { count: 1 }))).toBeVisible()
    expect(ledger.asked).toContainEqual({
      command: 'preview',
      input: { action: 'requeue', filter: { code: error.code, phase: error.phase } },
    })
    await expectAccessible()
    const link = document.querySelector('tbody a[data-stretch]')
    expect(link?.getAttribute('href')).toBe(`/jobs?code=${error.code}&phase=${error.phase}`)
  })

  it('resolves a group with a note, shows it apart, and its failures by hour as a picture and a table', async () => {
    const ledger = jobLedger([aJob(1)], {
      groups: [aGroup('NLM_TIMEOUT', { count: 1 }), aGroup('RATE_LIMIT')],
    })
    const screen = await open(ledger, '/jobs?tab=failures')
    const summary = t('hoursSummary', { count: 1, most: 1 })
    await expect.element(screen.getByRole('img', { name: summary }).first()).toBeVisible()
    await screen.getByText(t('hoursTable')).first().click()
    const hours = screen.getByRole('table', { name: t('hoursTable') })
    expect(hours.getByRole('row').elements()).toHaveLength(3)
    await screen.getByRole('button', { name: `${t('resolve')}: NLM_TIMEOUT` }).click()
    await expectAccessible()
    await screen.getByRole('dialog').getByRole('textbox').fill('The backend was restarted.')
    await screen
      .getByRole('dialog')
      .getByRole('button', { name: t('resolve') })
      .click()
    await expect.element(screen.getByText(t('groupResolved'))).toBeVisible()
    expect(ledger.asked).toContainEqual({
      command: 'resolve',
      input: {
        code: 'NLM_TIMEOUT',
        phase: 'NOTEBOOKLM_CALL',
        through: AT,
        reason: 'The backend was restarted.',
      },
    })
    const button = (code: string) => screen.getByRole('button', { name: `${t('resolve')}: ${code}` })
    await expect.element(button('NLM_TIMEOUT')).not.toBeInTheDocument()
    await screen.getByRole('button', { name: t('showResolved', { count: 1 }) }).click()
    await expect.element(button('NLM_TIMEOUT')).toBeVisible()
    await expect.element(button('RATE_LIMIT')).not.toBeInTheDocument()
  })

  it('names what a job waits for by its kind, its error in words, and a cancelled job as cancelled', async () => {
    const error = { code: 'NLM_TIMEOUT', message: 'raw', phase: 'NOTEBOOKLM_CALL', retryable: true, at: AT }
    const waits = { status: 'QUEUED', finished_at: null } as const
    const screen = await open(
      jobLedger([
        aJob(1, { ...waits, wait_reason: 'agent_inactive', wait_blocker: 'scout' }),
        aJob(2, { ...waits, wait_reason: 'agent_busy', wait_blocker: idOf(9) }),
        aJob(3, { ...waits, wait_reason: 'breaker_open', wait_blocker: 'nlm' }),
        aJob(4, { error }),
        aJob(5, { status: 'FAILED', failure_kind: 'cancelled' }),
      ]),
    )
    const href = (n: number, name: string) => screen.row(n).getByRole('link', { name, exact: true })
    await expect.element(href(1, 'scout')).toHaveAttribute('href', '/agents/scout')
    await expect.element(href(2, '00000000')).toHaveAttribute('href', `/jobs/${idOf(9)}`)
    await expect.element(href(3, 'nlm')).toHaveAttribute('href', '/settings')
    await expect.element(screen.row(4).getByText(t('errors.NLM_TIMEOUT'))).toBeVisible()
    await expect.element(screen.row(5).getByText(t('cancelledState'))).toBeVisible()
    expect(screen.row(5).element().textContent).not.toContain(t('state.FAILED'))
  })

  it('shows how long the last attempt worked, ticking while it does, and cancelled jobs beside the failed', async () => {
    const DAY = 86_400_000
    const at = (ms: number) => new Date(Date.now() - ms).toISOString()
    const screen = await open(
      jobLedger([
        aJob(1, { created_at: at(DAY), attempt_started_at: at(70_000), attempt_ended_at: at(40_000) }),
        aJob(2, {
          status: 'NOTEBOOKLM_CALL',
          created_at: at(DAY),
          attempt_started_at: at(5_000),
          attempt_ended_at: null,
        }),
        aJob(3, { status: 'QUEUED', attempt_started_at: null, attempt_ended_at: null }),
        aJob(4, { created_at: at(DAY), attempt_started_at: at(70_000), attempt_ended_at: at(10_000) }),
      ]),
    )
    const took = (n: number) => screen.row(n).element().querySelector('td:last-of-type')?.textContent ?? ''
    await expect.element(screen.row(1)).toBeVisible()
    expect(took(1)).toBe('30 s')
    expect(took(3)).toBe('')
    const bar = (n: number) => screen.row(n).element().querySelector('[data-share]')
    expect([1, 3, 4].map((n) => bar(n)?.getAttribute('data-share'))).toEqual(['0.50', undefined, '1.00'])
    expect(bar(1)?.getAttribute('aria-hidden')).toBe('true')
    const heights = [1, 3].map((n) => screen.row(n).element().getBoundingClientRect().height)
    expect(heights[0]).toBe(heights[1])
    const first = took(2)
    expect(first).toMatch(/^\d+ s$/)
    await expect.poll(() => took(2)).not.toBe(first)
    const link = screen.getByRole('link', { name: new RegExp(`^${t('cancelledState')}`) })
    await expect.element(link).toHaveAttribute('href', '/jobs?status=CANCELLED')
  })

  it('keeps its filters in the address, and removes those that came with a link', async () => {
    const ledger = jobLedger(THREE)
    const run = 'run_2026-03-02_abcdef'
    const screen = await open(ledger, `/jobs?type=RESEARCH&run=${run}&from=2026-03-01&to=2026-03-02`)
    await expect.element(screen.row(1)).toBeVisible()
    const remove = screen.getByRole('button', { name: ui('removeFilter', { filter: `${t('run')}: ${run}` }) })
    await remove.click()
    await expect.element(remove).not.toBeInTheDocument()
    expect(window.location.search).toBe('?type=RESEARCH&from=2026-03-01&to=2026-03-02')
  })

  it('keeps what is searched for when Escape leaves the field', async () => {
    const screen = await open(jobLedger(THREE), '/jobs?q=Question')
    await expect.element(screen.row(1)).toBeVisible()
    await userEvent.keyboard('/')
    const field = screen.getByRole('searchbox')
    await expect.element(field).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(field).not.toHaveFocus()
    await expect.element(field).toHaveValue('Question')
  })

  it('says of an address that names no job that there is none, without an error to retry', async () => {
    const jobs = router({
      get: query(jobDetail, () => {
        throw new Refused('VALIDATION_FAILED', 'job_id: must be a job id')
      }),
    })
    const screen = await renderInConsole(<JobPage id="zzz" />, { procedures: { jobs }, at: '/jobs/zzz' })
    await expect.element(screen.getByText(ui('noObject'))).toBeVisible()
    await expect.element(screen.getByRole('link', { name: ui('showAll') })).toHaveAttribute('href', '/jobs')
    expect(screen.getByRole('alert').query()).toBeNull()
    await expectAccessible()
  })

  it('offers the owner a research job, and an operator nothing that only the owner may start', async () => {
    const screen = await open()
    await screen.getByRole('button', { name: t('newJob') }).click()
    const dialog = screen.getByRole('dialog')
    await dialog.getByRole('textbox').fill('What do bees need in May?')
    await expectAccessible()
    await dialog.getByRole('button', { name: t('newJobSubmit') }).click()
    await expect.poll(() => window.location.pathname).toBe(`/jobs/${idOf(77)}`)
    expect(screen.ledger.asked).toContainEqual({
      command: 'submit',
      input: {
        job_id: expect.any(String),
        job_type: 'RESEARCH',
        agent_slug: 'librarian',
        payload: { query: 'What do bees need in May?' },
      },
    })
    await screen.unmount()
    const operators = await renderInConsole(<JobsPage />, {
      procedures: jobLedger(THREE).procedures,
      at: '/jobs',
      role: 'operator',
    })
    await expect.element(operators.getByRole('row').filter({ hasText: aJob(1).title })).toBeVisible()
    expect(operators.getByRole('link', { name: t('runAgent') }).query()).toBeNull()
    expect(operators.getByRole('button', { name: t('newJob') }).query()).toBeNull()
  })
})

describe('the filters in the address', () => {
  it('are steps that Back undoes, and what is typed is one step', async () => {
    const screen = await open()
    await expect.element(screen.row(3)).toBeVisible()
    const type = screen.getByRole('combobox', { name: t('type') })
    await type.selectOptions('BRIEF')
    await expect.poll(() => window.location.search).toBe('?type=BRIEF')
    const search = screen.getByRole('searchbox', { name: t('search') })
    for (const typed of ['Question', 'Question number', 'Question number 2']) {
      await search.fill(typed)
      await expect.poll(() => new URLSearchParams(window.location.search).get('q')).toBe(typed)
    }
    window.history.back()
    await expect.poll(() => window.location.search).toBe('?type=BRIEF')
    await expect.element(search).toHaveValue('')
    await search.fill('Question')
    await expect.poll(() => window.location.search).toContain('q=Question')
    window.history.back()
    await expect.poll(() => window.location.search).toBe('?type=BRIEF')
    window.history.back()
    await expect.poll(() => window.location.search).toBe('')
    await expect.element(type).toHaveValue('')
  })

  it('are a step for each day that is picked; a day that is typed is one, until the field is left', async () => {
    const screen = await open()
    await expect.element(screen.row(3)).toBeVisible()
    const from = screen.getByLabelText(t('from'), { exact: true })
    const comesTo = (day: string | null) =>
      expect.poll(() => new URLSearchParams(window.location.search).get('from')).toBe(day)
    for (const day of ['2026-03-01', '2026-03-02']) {
      await from.fill(day)
      await comesTo(day)
    }
    const typed = async (...days: string[]) => {
      ;(from.element() as HTMLElement).focus()
      for (const day of days) {
        await userEvent.keyboard('{ArrowUp}')
        await comesTo(day)
      }
    }
    await typed('2026-04-02', '2026-05-02')
    ;(from.element() as HTMLElement).blur()
    await typed('2026-06-02', '2026-07-02')
    for (const day of ['2026-05-02', '2026-03-02', '2026-03-01', null]) {
      window.history.back()
      await comesTo(day)
    }
  })

  it('are saved under a name, chosen again, renamed and deleted', async () => {
    const { procedures } = jobLedger(THREE)
    const views = viewLedger()
    const screen = await renderInConsole(<JobsPage />, { procedures: { ...procedures, views }, at: '/jobs' })
    const menu = screen.getByRole('main').getByRole('button', { name: new RegExp(`^${v('savedViews')}`) })
    const item = (name: string) => screen.getByRole('menu').getByText(name)
    await menu.click()
    await expect
      .element(screen.getByRole('menuitem', { name: v('save') }))
      .toHaveAccessibleDescription(v('noFilter'))
    await userEvent.keyboard('{Escape}')
    await screen.getByRole('combobox', { name: t('type') }).selectOptions('BRIEF')
    await expect.poll(() => window.location.search).toBe('?type=BRIEF')
    for (const name of ['Briefs', 'Briefs']) {
      await menu.click()
      await item(v('save')).click()
      await screen.getByRole('textbox', { name: v('name') }).fill(name)
      await userEvent.keyboard('{Enter}')
      await expect.element(menu).toHaveTextContent('Briefs')
    }
    await expect.element(screen.getByText(v('nameTaken'))).toBeVisible()
    await expectAccessible()
    await userEvent.keyboard('{Escape}')
    await screen
      .getByRole('main')
      .getByRole('button', { name: ui('clear') })
      .first()
      .click()
    await expect.poll(() => window.location.search).toBe('')
    await menu.click()
    await item('Briefs').click()
    await expect.poll(() => window.location.search).toBe('?type=BRIEF')
    await menu.click()
    await expect.element(screen.getByRole('menuitemradio', { name: 'Briefs' })).toBeChecked()
    await expectAccessible()
    await item(v('rename', { name: 'Briefs' })).click()
    await screen.getByRole('textbox', { name: v('name') }).fill('All briefs')
    await userEvent.keyboard('{Enter}')
    await expect.element(menu).toHaveTextContent('All briefs')
    await menu.click()
    await item(v('remove', { name: 'All briefs' })).click()
    await screen.getByRole('button', { name: v('removeButton') }).click()
    await expect.element(menu).toHaveTextContent(v('views'))
    expect(window.location.search).toBe('?type=BRIEF')
  })
})
