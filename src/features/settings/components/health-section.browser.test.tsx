import { expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import type { SystemHealth } from '#contracts/system.contract.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { HEALTH } from '#lib/testing/system-answers.ts'
import { textsOf } from '#lib/testing/texts.ts'
import { HealthSection } from './health-section.tsx'

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
