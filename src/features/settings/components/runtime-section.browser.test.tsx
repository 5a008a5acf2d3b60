import { expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import {
  type ConnectionTest,
  connectionTest,
  type RuntimeConfig,
  runtimeConfig,
} from '#contracts/runtime-settings.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { RuntimeSection } from './runtime-section.tsx'

const t = textsOf('settings')
const PLANE = 'https://membridge.example'
const UNTESTED: RuntimeConfig = {
  ...{ membridge_server_url: PLANE, admin_key_masked: '****1234', source: 'settings' },
  ...{ connected: false, last_test: null },
}

type Input = { membridge_server_url: string; admin_key?: string }
type Given = { role?: 'owner' | 'operator'; config?: Partial<RuntimeConfig>; finds?: ConnectionTest }

async function open({ role = 'owner', config = {}, finds }: Given = {}) {
  const state: RuntimeConfig = { ...UNTESTED, ...config }
  const sent: Input[] = []
  const runtime = router({
    config: query(runtimeConfig, () => state),
    configure: mutation(runtimeConfig, (input: Input) => {
      sent.push(input)
      if (input.admin_key === 'a b')
        throw new Refused('VALIDATION_FAILED', 'No.', [{ field: 'admin_key', message: 'no spaces' }])
      const mask = input.admin_key ? `****${input.admin_key.slice(-4)}` : state.admin_key_masked
      return Object.assign(state, {
        ...UNTESTED,
        membridge_server_url: input.membridge_server_url,
        admin_key_masked: mask,
      })
    }),
    testConnection: mutation(connectionTest, () => {
      const found = finds ?? { connected: true, health: { status: 'ok' } }
      const fault = found.connected ? null : found.fault
      Object.assign(state, {
        connected: found.connected,
        last_test: {
          ...{ at: Date.now(), connected: found.connected, fault },
          error: found.connected ? null : found.error,
        },
      })
      return found
    }),
  })
  const screen = await renderInConsole(<RuntimeSection />, {
    ...{ procedures: { runtime }, role, at: '/settings' },
  })
  const dialog = screen.getByRole('dialog')
  const change = () => screen.getByRole('button', { name: t('changeControlPlane') }).click()
  const save = dialog.getByRole('button', { name: t('saveControlPlane') })
  return { ...screen, dialog, change, save, sent }
}

it.each([
  ['a desk', 1280],
  ['a phone', 390],
])('shows the control plane, a mask of its key and where the key of programs is, on %s', async (_, width) => {
  await page.viewport(width, 844)
  onTestFinished(() => page.viewport(1280, 800))
  const screen = await open({
    config: { membridge_server_url: `https://${'long-name.'.repeat(12)}example/fleet` },
  })
  await expect.element(screen.getByText('****1234')).toBeVisible()
  await expect.element(screen.getByText(t('notTested'))).toBeVisible()
  await expect.element(screen.getByText(t('machineKeyWhere'))).toBeVisible()
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
  await expectAccessible()
})

it('tests the connection and says what was found', async () => {
  const screen = await open()
  await screen.getByRole('button', { name: t('testConnection') }).click()
  await expect.element(screen.getByText(t('connectionWorks'))).toBeVisible()
  const verdict = screen.getByText(t('connected'), { exact: true })
  await expect.element(verdict).toBeVisible()
  const said = verdict.element().closest('[role=status]')
  expect(said?.querySelector('time'), 'what ticks is not announced').toBeNull()
  await expectAccessible()
})

it('says what is wrong in the reader’s words, and what the server said', async () => {
  const error = 'The control plane at https://membridge.example refused the admin key (401).'
  const screen = await open({
    role: 'operator',
    finds: { connected: false, fault: 'refused_key', error },
  })
  await screen.getByRole('button', { name: t('testConnection') }).click()
  await expect.element(screen.getByText(t('connectionFaults.refused_key'))).toBeVisible()
  await expect.element(screen.getByText(error)).toBeVisible()
  await expect.element(screen.getByText(t('notConnected'))).toBeVisible()
  await expectAccessible()
})

it('says before a new host is saved that its key goes, and asks for another', async () => {
  const screen = await open()
  await screen.change()
  await expect.element(screen.dialog.getByText(t('adminKeyKept'))).toBeVisible()
  const address = screen.dialog.getByLabelText(t('controlPlaneAddress'))
  await address.fill(`${PLANE}/fleet`)
  await expect.element(screen.dialog.getByText(t('adminKeyKept'))).toBeVisible()
  await address.fill('https://other.example')
  await expect.element(screen.dialog.getByText(t('adminKeyDropped'))).toBeVisible()
  await expect.element(screen.save).toBeDisabled()
  await expectAccessible()
  await screen.dialog.getByLabelText(new RegExp(`^${t('adminKey')}`)).fill('other-key-5678')
  await screen.save.click()
  await expect.element(screen.getByText(t('controlPlaneSaved'))).toBeVisible()
  expect(screen.sent).toEqual([
    { membridge_server_url: 'https://other.example', admin_key: 'other-key-5678' },
  ])
  await expect.element(screen.getByText('****5678')).toBeVisible()
})

it('keeps the key of the same host, and says what is wrong with one', async () => {
  const screen = await open()
  await screen.change()
  await screen.dialog.getByLabelText(t('adminKey')).fill('a b')
  await screen.save.click()
  await expect.element(screen.dialog.getByText(t('adminKeyFault'))).toBeVisible()
  await screen.dialog.getByLabelText(t('adminKey')).fill('')
  await screen.save.click()
  await expect.element(screen.getByText(t('controlPlaneSaved'))).toBeVisible()
  expect(screen.sent.at(-1)).toEqual({ membridge_server_url: PLANE })
})

it('is read-only for an operator, apart from the test', async () => {
  const screen = await open({ role: 'operator', config: { admin_key_masked: '' } })
  await expect.element(screen.getByText(PLANE)).toBeVisible()
  await expect.element(screen.getByText(t('none'))).toBeVisible()
  expect(screen.getByRole('button', { name: t('changeControlPlane') }).query()).toBeNull()
})
