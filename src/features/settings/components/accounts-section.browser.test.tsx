import { expect, it } from 'vitest'
import { z } from 'zod'
import { type AccountView, accountView } from '#contracts/auth.contract.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { AccountsSection } from './accounts-section.tsx'

const t = textsOf('settings')
const OLENA: AccountView = {
  ...{ account_id: 'account_1', role: 'operator', name: 'olena', has_password: true, sessions: 1 },
  ...{ created_at: '2026-03-02T09:00:00.000Z', disabled_at: null },
}

async function open(role: 'owner' | 'operator' = 'owner') {
  const accounts = [{ ...OLENA }]
  const list = query(z.array(accountView), () => accounts)
  const procedures = { accounts: router({ list }) }
  const screen = await renderInConsole(<AccountsSection />, { procedures, role, at: '/settings' })
  return { ...screen, accounts, dialog: screen.getByRole('dialog') }
}

it('keeps what is written about a new operator while there is no network', async () => {
  const { dialog, ...screen } = await open()
  await screen.getByRole('button', { name: t('createOperator') }).click()
  const name = dialog.getByLabelText(t('name'))
  await name.fill('taras')
  screen.network.disconnect()
  await expect.element(screen.getByText(textsOf('live')('offlineBanner'))).toBeInTheDocument()
  await expect.element(name).toHaveValue('taras')
  await dialog.getByLabelText(t('initialPassword')).fill('a long enough password')
  await dialog.getByRole('button', { name: t('createOperator') }).click()
  await expect.element(dialog.getByRole('alert').getByText(textsOf('errors')('OFFLINE'))).toBeVisible()
  screen.network.connect()
  await expect.element(name).toHaveValue('taras')
})

it('keeps a password that is being reset, though the account is disabled meanwhile', async () => {
  const { dialog, accounts, ...screen } = await open()
  const menu = screen.getByRole('button', { name: t('accountActionsOf', { name: 'olena' }) })
  await menu.click()
  await screen.getByRole('menuitem', { name: t('resetPassword') }).click()
  const password = dialog.getByLabelText(t('newPassword'))
  await password.fill('half a passw')
  Object.assign(accounts[0] as object, { disabled_at: '2026-03-03T09:00:00.000Z' })
  // After it everything is read again.
  screen.network.publish({ id: '1', topic: 'reset', resource: { type: 'stream', id: '1' } })
  await expect.element(screen.getByText(t('accountStates.disabled'))).toBeInTheDocument()
  await expect.element(password).toHaveValue('half a passw')
  await dialog.getByRole('button', { name: textsOf('ui')('cancel') }).click()
  await expect.element(menu).not.toBeInTheDocument()
})

it('is the owner’s alone', async () => {
  const screen = await open('operator')
  await expect.element(screen.getByText(t('accounts'))).not.toBeInTheDocument()
})
