import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { dashboardMetrics } from '#contracts/dashboard.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { someMetrics } from '../testing/dashboard.ts'
import { jobLedger } from '../testing/jobs.ts'
import { JobsPage } from './jobs-page.tsx'

const t = textsOf('jobs')
type Asked = { window: '1h' | '24h' | '7d' }

async function open(fault?: Refused) {
  const asked: string[] = []
  const metrics = query(dashboardMetrics, ({ window }: Asked) => {
    asked.push(window)
    if (fault) throw fault
    return someMetrics(window)
  })
  const procedures = { ...jobLedger([]).procedures, dashboard: router({ metrics }) }
  return { ...(await renderInConsole(<JobsPage />, { procedures, at: '/jobs?tab=activity' })), asked }
}

/** Labels that begin before their picture does, and so are cut. */
const cutLabels = () =>
  [...document.querySelectorAll('svg[role=img]')].flatMap((svg) =>
    [...svg.querySelectorAll('text')].filter(
      (text) => text.getBoundingClientRect().left < svg.getBoundingClientRect().left,
    ),
  )
const paths = () => [...document.querySelectorAll('path[data-line]')]

it('draws four charts with words for what they show, in light and dark, and has the numbers in a table', async () => {
  const screen = await open()
  for (const [title, summary] of [
    [t('depth'), t('depthSummary', { now: 2, most: 7, dead: 0 })],
    [t('startLatency'), t('latencySummary', { p50: '2.0 s', p95: '6.0 s' })],
    [t('throughput'), t('throughputSummary', { completed: 9, failed: 2, retries: 1 })],
    [t('latency'), t('latencySummary', { p50: '4.0 s', p95: '30 s' })],
  ])
    await expect.element(screen.getByRole('img', { name: `${title}: ${summary}` })).toBeVisible()
  expect(paths().map((path) => path.getAttribute('data-line'))).toEqual([
    ...['0', '1', '2'],
    ...['0', '1'],
    ...['0', '1'],
    ...['0', '1'],
  ])
  const dashes = paths()
    .slice(0, 3)
    .map((path) => path.getAttribute('stroke-dasharray'))
  expect(new Set(dashes).size).toBe(3)
  expect(cutLabels()).toEqual([])
  // Where no worker looked the line ends and begins anew.
  expect(paths().map((path) => path.getAttribute('d')?.match(/M/g)?.length)).toEqual([
    ...[2, 2, 2],
    ...[2, 2],
    ...[1, 1],
    ...[2, 2],
  ])
  const strokes = () => paths().map((path) => getComputedStyle(path).stroke)
  const light = strokes()
  document.documentElement.dataset.theme = 'dark'
  expect(strokes()).not.toEqual(light)
  delete document.documentElement.dataset.theme
  await screen.getByRole('tabpanel').getByText(t('activityTable')).click()
  await expect.element(screen.getByRole('table', { name: t('tabActivity') })).toBeVisible()
  expect(screen.getByRole('row').elements()).toHaveLength(25)
  await expectAccessible()
})

it('shows another period, and fits a phone', async () => {
  await page.viewport(360, 800)
  const screen = await open()
  await screen.getByRole('button', { name: t('windows.7d') }).click()
  await expect
    .element(screen.getByRole('button', { name: t('windows.7d') }))
    .toHaveAttribute('aria-pressed', 'true')
  expect(screen.asked).toEqual(['24h', '7d'])
  await expect.poll(() => paths().length).toBe(9)
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(360)
  await page.viewport(1280, 800)
})

it('says that it could not be read', async () => {
  const screen = await open(new Refused('STORAGE_UNAVAILABLE', 'The ledger is away.'))
  await expect.element(screen.getByRole('alert')).toBeVisible()
})
