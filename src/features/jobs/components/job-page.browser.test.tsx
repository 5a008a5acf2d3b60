import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { type JobDetail, jobDetail } from '#contracts/job.contract.ts'
import { formatDuration } from '#lib/duration.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { aJobDetail, anAttempt, anError } from '../testing/job-detail.ts'
import { idOf } from '../testing/jobs.ts'
import { JobPage } from './job-page.tsx'

const t = textsOf('jobs')

const open = (job: JobDetail) =>
  renderInConsole(<JobPage id={idOf(1)} />, {
    procedures: { jobs: router({ get: query(jobDetail, () => job) }) },
    at: `/jobs/${idOf(1)}`,
  })

const segments = () =>
  [...document.querySelectorAll('figure ol rect[data-segment]')].map((bar) =>
    bar.getAttribute('data-segment'),
  )
const nowLines = () => [...document.querySelectorAll('line[data-now]')]

describe('the page of a job that', () => {
  it('is dead says why in a sentence, its error once, and has one button for it', async () => {
    const screen = await open(aJobDetail())
    const heading = t('verdict.dead', { count: 2, alike: 'yes' })
    await expect.element(screen.getByRole('heading', { name: heading })).toBeVisible()
    expect(
      screen.getByText(t('errors.NLM_UNAVAILABLE'), { exact: true }).elements().filter(isShown),
    ).toHaveLength(1)
    expect(screen.getByRole('button', { name: t('requeue') }).elements()).toHaveLength(1)
    expect(segments()).toEqual([
      'CONTEXT_ASSEMBLY',
      'NOTEBOOKLM_CALL',
      'backoff',
      'queue',
      'CONTEXT_ASSEMBLY',
      'NOTEBOOKLM_CALL',
    ])
    expect(nowLines()).toEqual([])
    await expect.element(screen.getByText(t('outcome.failed'), { exact: true }).first()).toBeVisible()
    await expectAccessible()
    await screen.getByRole('button', { name: t('requeue') }).click()
    await expect.element(screen.getByRole('dialog').getByText(t('requeueHint'))).toBeVisible()
  })

  it('had another error before its last one shows that beside its attempt, and fits a phone', async () => {
    await page.viewport(390, 844)
    const [first, last] = aJobDetail().attempts
    const limited = { ...first, error: anError('RATE_LIMIT', '429') } as typeof first & object
    const screen = await open(aJobDetail({ attempts: [limited, last as typeof limited] }))
    await expect
      .element(screen.getByRole('heading', { name: t('verdict.dead', { count: 2, alike: 'no' }) }))
      .toBeVisible()
    await expect.element(screen.getByText(t('errors.RATE_LIMIT')).first()).toBeVisible()
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
    await page.viewport(1280, 800)
  })

  it('runs ticks at now, and has the numbers in a table', async () => {
    const began = Date.now() - 5_000
    const running = anAttempt(0, { begins: 0, ends: null, started_at: new Date(began).toISOString() })
    running.phases = [{ state: 'CONTEXT_ASSEMBLY', started_at: running.started_at, ms: null }]
    const screen = await open(
      aJobDetail({
        status: 'CONTEXT_ASSEMBLY',
        failure_kind: null,
        error: null,
        actions: ['cancel'],
        attempts: [running],
      }),
    )
    await expect.poll(() => nowLines().length).toBe(1)
    const after = formatDuration(Date.now() - began + 1_000, 'en')
    await expect.element(screen.getByText(after, { exact: true }).first()).toBeVisible()
    await screen.getByText(t('showTable')).click()
    await expect.element(screen.getByRole('table', { name: t('attempts') })).toBeVisible()
    await expectAccessible()
  })

  it('was refused offers to ask again, of an archived agent the agent', async () => {
    const refused = { ...anError('VALIDATION_ERROR', 'too long'), retryable: false }
    const screen = await open(aJobDetail({ status: 'FAILED', failure_kind: 'invalid', error: refused }))
    await expect.element(screen.getByText(t('verdict.next.again'))).toBeVisible()
    await expect.element(screen.getByRole('button', { name: t('again') })).toBeVisible()
    await screen.unmount()
    const noAgent = {
      status: 'FAILED',
      failure_kind: 'invalid',
      error: anError('AGENT_NOT_ACTIVE'),
      attempts: [],
    } as const
    const archived = await open(aJobDetail({ ...noAgent, attempts: [] }))
    await expect
      .element(archived.getByRole('link', { name: t('openAgent') }))
      .toHaveAttribute('href', '/agents/librarian')
    await expect.element(archived.getByRole('heading', { name: t('verdict.refused') })).toBeVisible()
  })
})

const isShown = (one: Element): boolean => one.checkVisibility()
