import { expect, it } from 'vitest'
import { type GardenCare, gardenCare } from '#contracts/system.contract.ts'
import { PUSH_PROBLEMS } from '#domain/garden/remote.rules.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { SYSTEM } from '#lib/testing/system-answers.ts'
import { textsOf } from '#lib/testing/texts.ts'
import { GardenSection } from './garden-section.tsx'

const t = textsOf('settings')
const WHOLE: GardenCare = {
  remote: null,
  check: {
    finished_at: '2026-03-02T09:00:00.000Z',
    running: false,
    checked_by: 'git',
    objects: null,
    faults: [],
  },
}
const REMOTE: NonNullable<GardenCare['remote']> = {
  address: 'https://forge.example/me/garden.git',
  pushed_commit: '5'.repeat(40),
  pushed_at: '2026-03-02T08:00:00.000Z',
  waiting: 0,
  problem: null,
  message: null,
  failing_since: null,
  next_attempt_at: null,
}

const open = (care: GardenCare) =>
  renderInConsole(<GardenSection />, {
    procedures: { system: router({ ...SYSTEM._def.procedures, garden: query(gardenCare, () => care) }) },
    role: 'owner',
  })

it('says that no remote is configured, and what the check found', async () => {
  const screen = await open(WHOLE)
  await expect.element(screen.getByText(t('states.not_configured'))).toBeVisible()
  await expect.element(screen.getByText(t('gardenFaults', { count: 0 }))).toBeVisible()
  await expect.element(screen.getByText(t('gardenCheckedBy.git'))).toBeVisible()
})

it.each(PUSH_PROBLEMS)('names the remote and what keeps it back: %s', async (problem) => {
  const failing = { problem, message: 'The remote said no.', waiting: 3, failing_since: REMOTE.pushed_at }
  const screen = await open({
    ...WHOLE,
    remote: { ...REMOTE, ...failing, next_attempt_at: '2026-03-02T10:00:00.000Z' },
  })
  await expect.element(screen.getByText(REMOTE.address)).toBeVisible()
  await expect.element(screen.getByText(t(`pushProblems.${problem}`), { exact: true })).toBeVisible()
  await expect.element(screen.getByText('The remote said no.')).toBeVisible()
  await expect.element(screen.getByText(t('proposalCount', { count: 3 }))).toBeVisible()
  if (problem === 'diverged') await expectAccessible()
})

it('lists damaged objects', async () => {
  const faults = ['missing blob 1111', 'unreadable tree 2222']
  const screen = await open({
    ...WHOLE,
    remote: REMOTE,
    check: { ...WHOLE.check, checked_by: 'console', faults },
  })
  await expect.element(screen.getByText(t('gardenFaults', { count: 2 }))).toBeVisible()
  await expect.element(screen.getByText(/missing blob 1111/)).toBeVisible()
  expect(screen.getByText(t('gardenProblem')).query()).toBeNull()
})
