import { expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import {
  type HealthHistory,
  type HealthHistoryRequest,
  healthHistory,
} from '#contracts/health-history.contract.ts'
import type { SystemHealth } from '#contracts/system.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { HEALTH, SYSTEM } from '#lib/testing/system-answers.ts'
import { textsOf } from '#lib/testing/texts.ts'
import { HealthSection } from './health-section.tsx'
import { UptimeSection } from './uptime-section.tsx'

const t = textsOf('settings')
const broken = { ...HEALTH.components.ledger, status: 'unavailable', last_success_at: null } as const
const health: SystemHealth = { ...HEALTH, components: { ...HEALTH.components, nlm_backend: broken } }

async function open() {
  const screen = await renderInConsole(<HealthSection health={health} error={null} retry={() => undefined} />)
  const row = (component: keyof SystemHealth['components']) =>
    screen.getByRole('row').filter({ hasText: t(`components.${component}`) })
  await expect.element(row('ledger')).toBeVisible()
  return { row }
}

it('says Never of what should have answered, and nothing of what is not configured', async () => {
  const { row } = await open()
  await expect.element(row('nlm_backend').getByText(t('never'))).toBeVisible()
  await expect.element(row('memory_backend').getByText(t('states.not_configured'))).toBeVisible()
  await expect.element(row('memory_backend').getByText(t('never'))).not.toBeInTheDocument()
})

it('names no value on a phone that is not there', async () => {
  await page.viewport(390, 844)
  onTestFinished(() => page.viewport(1280, 800))
  const { row } = await open()
  const seen = (component: 'ledger' | 'memory_backend') => (row(component).element() as HTMLElement).innerText
  expect(seen('ledger')).toContain(t('lastSuccess'))
  expect(seen('memory_backend')).not.toContain(t('lastSuccess'))
  expect(seen('memory_backend')).not.toContain(t('latency'))
})

const PERIOD: HealthHistory['periods'][number] = {
  component: 'ledger',
  state: 'down',
  since: '2026-03-02T00:00:00.000Z',
  until: null,
}
type Part = HealthHistory['components'][number]
const AT = '2026-03-02T00:00:00.000Z'
const part = (component: Part['component'], buckets: Part['buckets'], uptime: number | null): Part => ({
  ...{ component, buckets, uptime },
  seconds: { ok: 100, degraded: 0, down: 20, unknown: 0 },
})

it('draws the uptime of each component by pattern, over a day or a week, with a table behind', async () => {
  const asked: string[] = []
  const system = router({
    ...SYSTEM._def.procedures,
    healthHistory: query(healthHistory, ({ window }: HealthHistoryRequest) => {
      asked.push(window)
      return {
        ...{ window, from: AT, to: '2026-03-03T00:00:00.000Z', bucket_seconds: 1_800 },
        components: [
          part('ledger', ['ok', 'degraded', 'down', 'unknown'], 0.99999),
          part('audit', ['unknown'], null),
        ],
        periods: [PERIOD],
      }
    }),
  })
  const screen = await renderInConsole(<UptimeSection />, { procedures: { system }, at: '/settings' })
  const summary = t('uptimeSummary', {
    component: t('components.ledger'),
    ...{ all: 4, degraded: 1, down: 1, unknown: 1 },
  })
  const bars = screen.getByRole('img', { name: summary })
  await expect.element(bars).toBeVisible()
  const looks = [...bars.element().querySelectorAll('[data-look]')].map((e) => e.getAttribute('data-look'))
  expect(looks).toEqual(['solid', 'crossed', 'hatched', 'empty'])
  const { width } = bars.element().getBoundingClientRect()
  for (const part of [0.1, 0.4]) await userEvent.hover(bars, { position: { x: width * part, y: 10 } })
  const tip = screen.getByRole('tooltip')
  await expect.element(tip).toBeVisible()
  expect(tip.element().textContent).toContain(t('uptimeStates.degraded'))
  await expect.element(screen.getByText('99.99%').first()).toBeVisible()
  await screen.getByText(textsOf('ui')('showTable')).click()
  const periods = screen.getByRole('table', { name: t('uptimePeriods') })
  await expect.element(periods.getByText(t('uptimeNow'))).toBeVisible()
  await expectAccessible()
  await screen.getByText(t('uptimeWindows.7d')).click()
  await expect.poll(() => window.location.search).toBe('?uptime=7d')
  await expect.poll(() => asked.at(-1)).toBe('7d')
  window.history.back()
  await expect.element(screen.getByRole('radio', { name: t('uptimeWindows.24h') })).toBeChecked()
})
