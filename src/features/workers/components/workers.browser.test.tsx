import { expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import type { WorkerView } from '#contracts/worker.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { aWorker, idOf, workerLedger } from '../testing/workers.ts'
import { WorkerPage } from './worker-page.tsx'
import { WorkersPage } from './workers-page.tsx'

const t = textsOf('workers')
const ui = textsOf('ui')

const MANY = (): WorkerView[] => [
  aWorker('alpine', {
    breaker: { state: 'open', failures: 3, cooldown_seconds: 60, open_until: Date.now() + 50_000 },
  }),
  aWorker('orange', { active_leases: 1 }),
  aWorker('rpi', { status: 'offline', drained_at: Date.now(), drain_reason: 'moves to the attic' }),
]

async function open(role: 'owner' | 'operator' = 'owner', ledger = workerLedger(MANY())) {
  const screen = await renderInConsole(<WorkersPage />, {
    procedures: ledger.procedures,
    role,
    at: '/workers',
  })
  const row = (name: string) => screen.getByRole('row').filter({ hasText: name })
  const dialog = screen.getByRole('dialog')
  const choose = async (worker: string, label: string) => {
    await screen.getByRole('button', { name: t('actionsOf', { worker }) }).click()
    await screen.getByRole('menuitem', { name: label, exact: true }).click()
    await dialog.getByRole('textbox', { name: ui('reason') }).fill('asked by olena')
  }
  const confirm = (label: string) => dialog.getByRole('button', { name: label, exact: true }).click()
  return { ...screen, ...ledger, row, dialog, choose, confirm }
}

it.each([
  ['a desk', 1280],
  ['a phone', 390],
])('shows which workers are there and what keeps them from tasks, on %s', async (_, width) => {
  await page.viewport(width, 844)
  onTestFinished(() => page.viewport(1280, 800))
  const screen = await open()
  await expect.element(screen.getByText(t('count', { online: 2, offline: 1, active: 1 }))).toBeVisible()
  await expect.element(screen.row('alpine').getByText(new RegExp(`^${t('breakerLeft')}`))).toBeVisible()
  await expect.element(screen.row('orange').getByText(t('loadOf', { active: 1, max: 2 }))).toBeVisible()
  await expect.element(screen.row('rpi').getByText(t('drained'))).toBeVisible()
  await expect.element(screen.row('rpi').getByText('“moves to the attic”')).toBeVisible()
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
  await expectAccessible()
})

it.each([1, 2])('says that the control plane is away once %i calls were in vain', async (failures) => {
  const contact = { consecutiveFailures: failures, lastError: 'The control plane did not answer.' }
  const away = {
    ...contact,
    lastSuccess: Date.now() - 120_000,
    connected: false,
    fault: 'unreachable' as const,
  }
  const screen = await open('operator', workerLedger(MANY(), undefined, away))
  await expect.element(screen.row('orange')).toBeVisible()
  if (failures === 1) return expect(screen.getByText(t('controlPlaneAway')).query()).toBeNull()
  await expect.element(screen.getByText(t('controlPlaneAway'))).toBeVisible()
  await expect.element(screen.getByText(contact.lastError)).toBeVisible()
  await expectAccessible()
})

it.each([
  ['that the control plane alone knows', null, t('noAddress')],
  ['that fetches its tasks', Date.now(), t('fetches')],
])('says of a worker %s where it is called', async (_, registered_at, address) => {
  const plum = aWorker('plum', { url: null, registered_url: null, callable: false, registered_at })
  const screen = await renderInConsole(<WorkerPage id={plum.id} />, {
    ...{ procedures: workerLedger([plum]).procedures, role: 'operator' as const, at: `/workers/${plum.id}` },
  })
  await expect.element(screen.getByText(address)).toBeVisible()
  expect(screen.getByText(t('knownFromControlPlane')).elements()).toHaveLength(registered_at === null ? 1 : 0)
  await expectAccessible()
})

it('teaches how a worker comes', async () => {
  const screen = await open('operator', workerLedger([]))
  await expect.element(screen.getByText(t('empty'))).toBeVisible()
  await expect.element(screen.getByText(t('emptyHint'))).toBeVisible()
})

it.each([
  ['orange', 'drain', ['drain', { drain: true }]],
  ['rpi', 'resume', ['drain', { drain: false }]],
  ['orange', 'release', ['release', {}]],
  ['alpine', 'reset', ['resetBreaker', {}]],
] as const)('asks for a reason: %s, %s', async (worker, command, [name, input]) => {
  const screen = await open('operator')
  await screen.choose(worker, t(command))
  await screen.confirm(t(command))
  await expect.poll(() => screen.sent.length).toBe(1)
  expect(screen.sent).toEqual([[name, { id: idOf(worker), reason: 'asked by olena', ...input }]])
})

it.each([
  ['restartAgent', 'restart'],
  ['updateAgent', 'update'],
  ['uninstallAgent', 'uninstall'],
] as const)('has the owner command the agent: %s', async (label, command) => {
  const screen = await open()
  await screen.choose('orange', t(label))
  await screen.confirm(t(label))
  const input = { id: idOf('orange'), command, reason: 'asked by olena' }
  await expect.poll(() => screen.sent).toEqual([['commandAgent', input]])
  await expect.element(screen.getByText(t(`agentDone.${command}`))).toBeVisible()
})

it('asks the agent only when somebody wants to know', async () => {
  const worker = aWorker('orange')
  const screen = await renderInConsole(<WorkerPage id={worker.id} />, {
    ...{ procedures: workerLedger([worker]).procedures, at: `/workers/${worker.id}` },
  })
  const check = screen.getByRole('button', { name: t('checkAgent') })
  await expect.element(check).toBeVisible()
  expect(screen.getByText(t('agentReachable')).query()).toBeNull()
  await check.click()
  await expect.element(screen.getByText(t('agentReachable'))).toBeVisible()
  await expect.element(screen.getByText('orange.example', { exact: true })).toBeVisible()
  await expect.element(screen.getByText(t('agentControlState.true'))).toBeVisible()
  const said = screen.getByText(t('agentReachable')).element().closest('[aria-live]')
  expect(said?.querySelector('time'), 'what ticks is not announced').toBeNull()
  await expectAccessible()
})

it('has no agent to ask where the worker fetches', async () => {
  const worker = aWorker('orange', { url: null, registered_url: null, callable: false })
  const screen = await renderInConsole(<WorkerPage id={worker.id} />, {
    ...{ procedures: workerLedger([worker]).procedures, at: `/workers/${worker.id}` },
  })
  await expect.element(screen.getByText(t('fetches'))).toBeVisible()
  expect(screen.getByRole('button', { name: t('checkAgent') }).query()).toBeNull()
})

it('says why a worker is not called at its address, which the owner alone confirms', async () => {
  const ledger = workerLedger([aWorker('orange', { callable: false })])
  const screen = await open('operator', ledger)
  await expect.element(screen.row('orange').getByText(t('notCalled'))).toBeVisible()
  await screen.getByRole('button', { name: t('actionsOf', { worker: 'orange' }) }).click()
  await expect.element(screen.getByRole('menuitem', { name: t('drain') })).toBeVisible()
  expect(screen.getByRole('menuitem', { name: t('correct') }).query()).toBeNull()
  await screen.unmount()
  const page = await renderInConsole(<WorkerPage id={idOf('orange')} />, {
    ...{ procedures: ledger.procedures, at: `/workers/${idOf('orange')}` },
  })
  await expect.element(page.getByText(t('notCalledWhy'))).toBeVisible()
  expect(page.getByRole('button', { name: t('checkAgent') }).query()).toBeNull()
  await expectAccessible()
})

it('corrects an address, and takes the correction back when it is empty', async () => {
  const screen = await open()
  await screen.choose('orange', t('correct'))
  await screen.dialog.getByRole('textbox', { name: t('addressField') }).fill(' ')
  await screen.confirm(t('correct'))
  await expect.poll(() => screen.sent).toMatchObject([['correctAddress', { url: null }]])
})

it('removes a worker with leases only together with them, and only for the owner', async () => {
  const screen = await open()
  await screen.choose('orange', t('remove'))
  const button = screen.dialog.getByRole('button', { name: t('remove'), exact: true })
  await expect.element(button).toHaveAttribute('aria-disabled', 'true')
  await screen.dialog.getByRole('checkbox', { name: t('force', { count: 1 }) }).click()
  await button.click()
  await expect.poll(() => screen.sent).toMatchObject([['remove', { force: true }]])
  await screen.unmount()
  const operator = await open('operator')
  await operator.getByRole('button', { name: t('actionsOf', { worker: 'orange' }) }).click()
  await expect.element(operator.getByRole('menuitem', { name: t('drain') })).toBeVisible()
  expect(operator.getByRole('menuitem', { name: t('remove'), exact: true }).query()).toBeNull()
})

it.each([
  ['leaves the page of a worker that is removed', `/workers/${idOf('orange')}`, '/workers'],
  ['leaves alone whoever has left it', '/leadership', '/leadership'],
])('%s', async (_, at, then) => {
  const ledger = workerLedger([aWorker('orange')])
  const screen = await renderInConsole(<WorkerPage id={idOf('orange')} />, {
    ...{ procedures: ledger.procedures, at: `/workers/${idOf('orange')}` },
  })
  await screen.getByRole('button', { name: t('actionsOf', { worker: 'orange' }) }).click()
  await screen.getByRole('menuitem', { name: t('remove'), exact: true }).click()
  const dialog = screen.getByRole('dialog')
  await dialog.getByRole('textbox', { name: ui('reason') }).fill('asked by olena')
  window.history.pushState(null, '', at)
  await dialog.getByRole('button', { name: t('remove'), exact: true }).click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(window.location.pathname).toBe(then)
})

it('shows a worker with its leases and why it got its tasks', async () => {
  const worker = aWorker('orange', { active_leases: 1 })
  const now = Date.now()
  const lease = {
    ...{ id: idOf('lease'), task_id: idOf('task'), worker_id: worker.id, context_id: 'garden' },
    ...{ status: 'active' as const, fence: 1, ttl_seconds: 150, started_at: now - 9_000 },
    ...{ last_heartbeat: now - 2_000, expires_at: now + 90_000, ended_at: null },
    selection: {
      ...{ rule: 'load' as const, chosen: worker.id, filtered: {}, at: now - 9_000 },
      considered: [
        {
          ...{ worker_id: worker.id, name: 'orange', verdict: 'chosen' as const, reason: 'load' as const },
          ...{ free_slots: 2, last_heartbeat: now - 9_500, until: null },
        },
      ],
    },
  }
  const ledger = workerLedger([worker], { leases: [lease], last_selections: [lease] })
  const screen = await renderInConsole(<WorkerPage id={worker.id} />, {
    ...{ procedures: ledger.procedures, at: `/workers/${worker.id}` },
  })
  await expect.element(screen.getByRole('heading', { name: 'orange' })).toBeVisible()
  await expect.element(screen.getByRole('progressbar', { name: textsOf('tasks')('leaseLeft') })).toBeVisible()
  await expect.element(screen.getByText(/^orange was chosen: it has the most free slots\.$/)).toBeVisible()
  const tasks = screen.getByRole('link', { name: t('showTasks') })
  await expect.element(tasks).toHaveAttribute('href', `/tasks?worker=${worker.id}`)
  await expectAccessible()
})
