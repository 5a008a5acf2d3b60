import { expect, it } from 'vitest'
import { type StorageState, storageState } from '#contracts/system.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { SYSTEM } from '#lib/testing/system-answers.ts'
import { textsOf } from '#lib/testing/texts.ts'
import { RETENTION_OFF } from '../testing/retention-off.ts'
import { StorageSection } from './storage-section.tsx'

const t = textsOf('settings')
const ui = textsOf('ui')
const SWEEP = {
  finished_at: null,
  listed: 0,
  removed: 0,
  waiting: 0,
  waiting_bytes: 0,
  total_removed: 0,
  total_bytes: 0,
  last_error: null,
}

const open = (sweep: Partial<StorageState['sweep']>) => {
  const storage = query(storageState, () => ({ sweep: { ...SWEEP, ...sweep }, retention: RETENTION_OFF }))
  const system = router({ ...SYSTEM._def.procedures, storage })
  return renderInConsole(<StorageSection />, { procedures: { system }, role: 'operator' })
}

it('says what the sweep has checked, what waits and what is gone', async () => {
  const screen = await open({
    ...{ finished_at: new Date().toISOString(), listed: 1_204, removed: 3 },
    ...{ waiting: 2, waiting_bytes: 900, total_removed: 41, total_bytes: 2_500_000 },
  })
  for (const text of ['1,204 objects', '3 objects', '2 objects · 900 bytes', '41 objects · 2.5 MB'])
    await expect.element(screen.getByText(text, { exact: true })).toBeVisible()
  await expectAccessible()
})

it('says that no sweep has run, and why', async () => {
  const screen = await open({ last_error: 'The object store does not answer.' })
  await expect.element(screen.getByText(t('never'))).toBeVisible()
  await expect.element(screen.getByText('The object store does not answer.')).toBeVisible()
})

it('says that it could not be read, with a way to ask again', async () => {
  let fails = true
  const storage = query(storageState, () => {
    if (fails) throw new Refused('FORBIDDEN', 'Only the owner.')
    return { sweep: SWEEP, retention: RETENTION_OFF }
  })
  const system = router({ ...SYSTEM._def.procedures, storage })
  const screen = await renderInConsole(<StorageSection />, { procedures: { system }, role: 'operator' })
  await expect.element(screen.getByRole('heading', { name: t('storage') })).toBeVisible()
  await expect.element(screen.getByRole('alert')).toBeVisible()
  await expectAccessible()
  fails = false
  await screen.getByRole('button', { name: ui('retry') }).click()
  await expect.element(screen.getByText(t('lastSweep'))).toBeVisible()
  await expect.element(screen.getByRole('alert')).not.toBeInTheDocument()
})

it('shows its shape while it is read', async () => {
  const answer = Promise.withResolvers<StorageState>()
  const storage = query(storageState, () => answer.promise)
  const system = router({ ...SYSTEM._def.procedures, storage })
  const screen = await renderInConsole(<StorageSection />, { procedures: { system }, role: 'operator' })
  await expect.element(screen.getByRole('status', { name: ui('loading') })).toBeVisible()
  answer.resolve({ sweep: SWEEP, retention: RETENTION_OFF })
  await expect.element(screen.getByText(t('lastSweep'))).toBeVisible()
})
