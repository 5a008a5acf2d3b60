import { expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { z } from 'zod'
import { accountView } from '#contracts/auth.contract.ts'
import { deviceRef, type PushSettings, pushChoices, pushSettings } from '#contracts/push.contract.ts'
import { sessionView } from '#contracts/session.contract.ts'
import { SHOWN_SETTINGS, systemSettings } from '#contracts/system.contract.ts'
import { NotificationsSection } from '#features/push/index.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { SYSTEM } from '#lib/testing/system-answers.ts'
import { textsOf } from '#lib/testing/texts.ts'
import { AccountsSection } from './accounts-section.tsx'
import { ConfigurationSection } from './configuration-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { SessionsSection } from './sessions-section.tsx'

const t = textsOf('settings')
const n = textsOf('push')
const AT = '2026-01-02T09:00:00.000Z'

it('names every setting with its value, and says what protects less than the default', async () => {
  const items = SHOWN_SETTINGS.map((name) => ({
    name,
    value: name === 'ALLOWED_ORIGINS' ? '' : '1',
    warning: name === 'CALLBACK_ALLOW_UNSIGNED' ? name : null,
  }))
  const system = router({ ...SYSTEM._def.procedures, settings: query(systemSettings, () => ({ items })) })
  const screen = await renderInConsole(<ConfigurationSection />, { procedures: { system }, role: 'operator' })
  for (const name of SHOWN_SETTINGS) await expect.element(screen.getByText(name)).toBeVisible()
  await expect.element(screen.getByText(t('none'))).toBeVisible()
  await expect.element(screen.getByText(t('relaxed.CALLBACK_ALLOW_UNSIGNED'))).toBeVisible()
  expect(screen.container.textContent).not.toContain(t('relaxed.ALLOW_INSECURE_LAN'))
  await expectAccessible()
})

const DEVICE = {
  subscription_id: 'push_000000000001',
  device: 'Chrome, Android',
  service: 'fcm.googleapis.com',
  created_at: '2026-03-02T09:00:00.000Z',
  last_sent_at: null,
  last_error: null,
}

it('lists the devices that are notified, with their test, their removal and what was chosen, on a phone too', async () => {
  await page.viewport(390, 844)
  onTestFinished(() => page.viewport(1280, 800))
  const state: PushSettings = {
    server_key: 'key',
    topics: ['high_risk', 'failed', 'digest'],
    choices: { topics: ['high_risk'], digest: true, digest_at: 480, time_zone: 'UTC' },
    devices: [DEVICE],
  }
  const asked: unknown[] = []
  const named = (what: string) => (input: { subscription_id: string }) => {
    asked.push([what, input])
    if (what === 'remove') state.devices = []
    return input
  }
  const push = router({
    settings: query(pushSettings, () => state),
    choose: mutation(pushChoices, (input) => {
      asked.push(['choose', input])
      state.choices = input as PushSettings['choices']
      return state.choices
    }),
    test: mutation(deviceRef, named('test')),
    remove: mutation(deviceRef, named('remove')),
  })
  const screen = await renderInConsole(<NotificationsSection />, { procedures: { push } })
  await screen.getByRole('button', { name: n('sendTestTo', { device: DEVICE.device }) }).click()
  await expect.element(screen.getByText(n('testSent'))).toBeVisible()
  const topic = screen.getByLabelText(n('topics.digest'))
  await topic.click()
  await expect.element(topic).toBeChecked()
  await screen.getByLabelText(n('digestAt')).selectOptions('06:30')
  await expect
    .poll(() => asked.at(-1))
    .toEqual(['choose', { topics: ['high_risk', 'digest'], digest: true, digest_at: 390, time_zone: 'UTC' }])
  // Without a person's permission there is nothing to switch on, and the button says what to do.
  expect(Notification.permission).toBe('denied')
  const turnOn = screen.getByRole('button', { name: n('turnOn') })
  expect(turnOn.element().getAttribute('aria-description')).toBe(n('blocked'))
  await expect.element(screen.getByText(n('blocked'))).toBeVisible()
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
  await expectAccessible()
  await screen.getByRole('button', { name: n('removeDevice', { device: DEVICE.device }) }).click()
  await expect.element(screen.getByText(n('noDevices'))).toBeVisible()
})

const nadia = {
  account_id: 'op_1',
  role: 'operator' as const,
  name: 'nadia',
  has_password: true,
  created_at: AT,
  disabled_at: null,
  sessions: 1,
}
const session = { session: 's1', via: 'console', created_at: AT, last_seen_at: AT, expires_at: AT }
const ME = { role: 'owner', has_password: true }

it('asks before an account, a session or a password changes, and changes nothing when the question is left', async () => {
  const accounts = router({ list: query(z.array(accountView), () => [nadia]) })
  const sessions = router({
    me: query(z.any(), () => ME),
    list: query(z.array(sessionView), () => [
      { ...session, current: true },
      { ...session, session: 's2', current: false },
    ]),
  })
  const sections = (
    <>
      <AccountsSection />
      <SessionsSection />
      <PasswordSection />
    </>
  )
  const screen = await renderInConsole(sections, { procedures: { accounts, sessions }, at: '/settings' })
  const leave = async (title: string) => {
    await expect.element(screen.getByRole('dialog').getByRole('heading', { name: title })).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
  }
  for (const name of ['createOperator', 'signOutOthers', 'changePassword'] as const) {
    await screen.getByRole('button', { name: t(name) }).click()
    await leave(name === 'signOutOthers' ? t('signOutOthersTitle', { count: 1 }) : t(name))
  }
  for (const [act, title] of [
    ['resetPassword', 'resetTitle'],
    ['disable', 'disableTitle'],
  ] as const) {
    await screen.getByRole('button', { name: t('accountActionsOf', { name: 'nadia' }) }).click()
    await screen.getByRole('menuitem', { name: t(act) }).click()
    await leave(t(title, { name: 'nadia' }))
  }
})
