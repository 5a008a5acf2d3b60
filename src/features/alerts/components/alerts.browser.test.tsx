import { expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { z } from 'zod'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { aDelivery, alertLedger, anAlert, idOf } from '../testing/alerts.ts'
import { AlertPage } from './alert-page.tsx'
import { AlertsPage } from './alerts-page.tsx'
import { ChannelsSection } from './channels-section.tsx'

const t = textsOf('alerts')
const MANY = () => [
  anAlert(1),
  anAlert(2, {
    status: 'acknowledged',
    severity: 'critical',
    rule: 'NlmDown',
    condition: 'nlm_down',
    unit: 'seconds',
    value: 95,
    threshold: { comparison: '>=', value: 30 },
  }),
  anAlert(3, {
    severity: 'critical',
    rule: 'DeadJobs',
    resource: 'jobs',
    condition: 'dead_jobs',
    unit: 'count',
    value: 60,
    threshold: { comparison: '>', value: 50 },
  }),
  anAlert(4, { status: 'closed', rule: 'RunSlow', closed_at: '2026-03-02T10:00:00.000Z' }),
]
const titles = () =>
  [...document.querySelectorAll('tbody tr')].map((row) =>
    row.querySelector('a[data-stretch]')?.getAttribute('aria-label'),
  )

it.each([
  ['a desk', 1280],
  ['a phone', 390],
])('shows what is urgent first and what has closed below, on %s', async (_, width) => {
  await page.viewport(width, 844)
  onTestFinished(() => page.viewport(1280, 800))
  const screen = await renderInConsole(<AlertsPage />, {
    procedures: alertLedger(MANY()).procedures,
    at: '/alerts',
  })
  await expect.element(screen.getByText(t('sentence', { open: 2, acknowledged: 1 }))).toBeVisible()
  await expect
    .poll(titles)
    .toEqual((['DeadJobs', 'StorageFull', 'NlmDown', 'RunSlow'] as const).map((rule) => t(`rules.${rule}`)))
  const row = screen.getByRole('row').filter({ hasText: t('rules.StorageFull') })
  const seen = (row.element() as HTMLElement).innerText
  for (const text of ['91.5%', t('limit', { limit: '> 80%' }), t('severities.warning'), 'disk'])
    expect(seen).toContain(text)
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
  await expectAccessible()
})

it('says that nothing is open', async () => {
  const screen = await renderInConsole(<AlertsPage />, {
    procedures: alertLedger([]).procedures,
    at: '/alerts',
  })
  await expect.element(screen.getByText(t('emptyHint'))).toBeVisible()
  expect(screen.getByText(t('history')).query()).toBeNull()
})

it('acknowledges with a note, which it asks for', async () => {
  const ledger = alertLedger([anAlert(1)])
  const screen = await renderInConsole(<AlertsPage />, {
    procedures: ledger.procedures,
    role: 'operator',
    at: '/alerts',
  })
  await screen.getByRole('button', { name: t('acknowledge') }).click()
  const dialog = screen.getByRole('dialog')
  await expect.element(dialog.getByRole('button', { name: t('acknowledge') })).toBeDisabled()
  await userEvent.fill(dialog.getByRole('textbox'), 'Disk is being replaced')
  await expectAccessible()
  await dialog.getByRole('button', { name: t('acknowledge') }).click()
  await expect.poll(() => ledger.asked).toEqual([{ alert_id: idOf(1), note: 'Disk is being replaced' }])
})

it('shows one alert with its messages and the way to what it is about', async () => {
  const alert = anAlert(1, { status: 'acknowledged', acknowledged_by: 'operator:bob', note: 'On it' })
  const audit = router({ history: query(z.object({ items: z.array(z.never()) }), () => ({ items: [] })) })
  const screen = await renderInConsole(<AlertPage id={idOf(1)} />, {
    procedures: { ...alertLedger([alert], [aDelivery()]).procedures, audit },
    at: `/alerts/${idOf(1)}`,
  })
  await expect.element(screen.getByText('On it')).toBeVisible()
  await expect.element(screen.getByText('The receiver answered 500.')).toBeVisible()
  await expect.element(screen.getByRole('link', { name: t('look') })).toHaveAttribute('href', '/settings')
  expect(screen.getByRole('button', { name: t('acknowledge') }).query()).toBeNull()
  await expectAccessible()
})

it('tests the channels for the owner, and says why nobody else and nothing without one', async () => {
  const ledger = alertLedger([], [])
  const screen = await renderInConsole(<ChannelsSection />, { procedures: ledger.procedures })
  await expect.element(screen.getByText('https://hooks.example.org')).toBeVisible()
  await screen.getByRole('button', { name: t('sendTest') }).click()
  await expect.poll(() => ledger.asked).toHaveLength(1)
  await screen.unmount()
  const none = await renderInConsole(<ChannelsSection />, {
    procedures: alertLedger([], [], false).procedures,
  })
  await expect.element(none.getByText(t('deliveryNone'))).toBeVisible()
  await expect
    .element(none.getByRole('button', { name: t('sendTest') }))
    .toHaveAttribute('aria-disabled', 'true')
  await expectAccessible()
})
