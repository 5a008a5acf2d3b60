import { expect, it } from 'vitest'
import { type RetentionState, retentionPreview, storageState } from '#contracts/system.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { SYSTEM } from '#lib/testing/system-answers.ts'
import { textsOf } from '#lib/testing/texts.ts'
import { RETENTION_OFF } from '../testing/retention-off.ts'
import { RetentionSection } from './retention-section.tsx'

const t = textsOf('settings')
const AT = '2026-01-02T09:00:00.000Z'
const SWEEP = { finished_at: null, last_error: null, listed: 0, removed: 0, waiting: 0, waiting_bytes: 0 }
const item = {
  artifact_id: 'art-1',
  title: 'Leeks in March',
  agent_slug: 'scout',
  bytes: 900,
  created_at: AT,
}

function open(role: 'owner' | 'operator', retention: Partial<RetentionState> = {}) {
  const asked: unknown[] = []
  const state = {
    sweep: { ...SWEEP, total_removed: 0, total_bytes: 0 },
    retention: { ...RETENTION_OFF, ...retention },
  }
  const system = router({
    ...SYSTEM._def.procedures,
    storage: query(storageState, () => state),
    previewRetention: mutation(retentionPreview, (input) => {
      asked.push(input)
      return { days: 90, artifacts: 3, bytes: 2_700, oldest_at: AT, items: [item] }
    }),
  })
  const screen = renderInConsole(<RetentionSection />, { procedures: { system }, role })
  return { screen, asked }
}

it('is off by default; a dry run names what would go', async () => {
  const { screen: opening, asked } = open('owner')
  const screen = await opening
  await expect.element(screen.getByText(t('retentionOff'))).toBeVisible()
  await screen.getByLabelText(t('retentionDays')).fill('90')
  await screen.getByRole('button', { name: t('dryRun') }).click()
  await expect.element(screen.getByText('Leeks in March')).toBeVisible()
  await expect.element(screen.getByText(/3 artifacts · 2.7 kB/)).toBeVisible()
  expect(asked).toEqual([{ days: 90 }])
  await expectAccessible()
})

it('says to an operator what was announced, and offers no dry run', async () => {
  const announced = {
    days: 365,
    announced_at: AT,
    begins_at: new Date(Date.now() + 86_400_000).toISOString(),
    artifacts: 34,
    bytes: 2_000_000,
    oldest_at: AT,
  }
  const screen = await open('operator', announced).screen
  await expect.element(screen.getByText('34 artifacts · 2 MB')).toBeVisible()
  await expect.element(screen.getByText(t('retentionBegins'))).toBeVisible()
  expect(screen.getByRole('button', { name: t('dryRun') }).query()).toBeNull()
})

it('says what keeps it from removing, also once it is off', async () => {
  const screen = await open('operator', { last_error: 'The object store did not answer.', failing_since: AT })
    .screen
  await expect.element(screen.getByText('The object store did not answer.')).toBeVisible()
  await expect.element(screen.getByText(t('retentionFailing'))).toBeVisible()
  await expectAccessible()
})

it('says what is gone once removal has begun, and no more what was found', async () => {
  const begun = {
    days: 365,
    announced_at: AT,
    begins_at: AT,
    artifacts: 34,
    removed: 5,
    removed_bytes: 9_000,
  }
  const screen = await open('operator', begun).screen
  await expect.element(screen.getByText(t('retentionBegan'))).toBeVisible()
  await expect.element(screen.getByText('5 artifacts · 9 kB')).toBeVisible()
  expect(screen.getByText(t('retentionFound')).query()).toBeNull()
})

it('keeps the days and what a dry run found while there is no network', async () => {
  const screen = await open('owner').screen
  await screen.getByLabelText(t('retentionDays')).fill('90')
  await screen.getByRole('button', { name: t('dryRun') }).click()
  await expect.element(screen.getByText('Leeks in March')).toBeVisible()
  screen.network.disconnect()
  await expect.element(screen.getByText(textsOf('live')('offlineBanner'))).toBeVisible()
  await expect.element(screen.getByText('Leeks in March')).toBeVisible()
  await expect.element(screen.getByLabelText(t('retentionDays'))).toHaveValue(90)
})
