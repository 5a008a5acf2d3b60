import { expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { z } from 'zod'
import { accountView } from '#contracts/auth.contract.ts'
import { sessionView } from '#contracts/session.contract.ts'
import { SHOWN_SETTINGS, systemSettings } from '#contracts/system.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { SYSTEM } from '#lib/testing/system-answers.ts'
import { textsOf } from '#lib/testing/texts.ts'
import { AccountsSection } from './accounts-section.tsx'
import { ConfigurationSection } from './configuration-section.tsx'
import { PasswordSection } from './password-section.tsx'
import { SessionsSection } from './sessions-section.tsx'

const t = textsOf('settings')
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
  const page = (
    <>
      <AccountsSection />
      <SessionsSection />
      <PasswordSection />
    </>
  )
  const screen = await renderInConsole(page, { procedures: { accounts, sessions }, at: '/settings' })
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
