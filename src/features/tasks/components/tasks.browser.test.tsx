import { expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import type { TaskView } from '#contracts/llm-task.contract.ts'
import { HINT_REASONS } from '#domain/task/hint-reasons.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { aLease, anAttempt, aTask, before, chosenOrange, idOf, taskLedger, WORKER } from '../testing/tasks.ts'
import { TaskPage } from './task-page.tsx'
import { TasksPage } from './tasks-page.tsx'

const t = textsOf('tasks')
const ui = textsOf('ui')
const errors = textsOf('errors')

const MANY = (): TaskView[] => [
  aTask(4, {
    status: 'running',
    attempts: 1,
    worker_id: WORKER,
    selection: chosenOrange(),
    wait_reason: null,
  }),
  aTask(3),
  aTask(2, { status: 'dead', attempts: 3, error_code: 'timeout', wait_reason: null }),
  aTask(1, { status: 'failed', attempts: 1, error_code: 'budget_exceeded', wait_reason: null }),
]

async function openList(ledger = taskLedger(MANY()), at = '/tasks') {
  const screen = await renderInConsole(<TasksPage />, { procedures: ledger.procedures, role: 'operator', at })
  const row = (text: string) => screen.getByRole('row').filter({ hasText: text })
  return { ...screen, ...ledger, row, dialog: screen.getByRole('dialog') }
}

async function openTask(task: TaskView, details: Parameters<typeof taskLedger>[1] = {}) {
  const ledger = taskLedger([task], details)
  const screen = await renderInConsole(<TaskPage id={task.id} />, {
    ...{ procedures: ledger.procedures, role: 'operator' as const, at: `/tasks/${task.id}` },
  })
  const dialog = screen.getByRole('dialog')
  /** Opens the dialog of a command by its button, gives a reason and confirms. */
  const command = async (label: string) => {
    await screen.getByRole('button', { name: label }).click()
    await dialog.getByRole('textbox', { name: ui('reason') }).fill('asked by olena')
    await dialog.getByRole('button', { name: label }).click()
  }
  return { ...screen, ...ledger, command }
}

it.each([
  ['a desk', 1280],
  ['a phone', 390],
])('lists the tasks with who has them or why they wait, on %s', async (_, width) => {
  await page.viewport(width, 844)
  onTestFinished(() => page.viewport(1280, 800))
  const screen = await openList()
  await expect.element(screen.row('Name 4 bees.').getByText('orange')).toBeVisible()
  await expect.element(screen.row('Name 3 bees.').getByText(t('wait.no_worker'))).toBeVisible()
  await expect.element(screen.row('Name 2 bees.').getByText(t('needsPerson'))).toBeVisible()
  await expect.element(screen.row('Name 1 bees.').getByText(t('errors.budget_exceeded'))).toBeVisible()
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
  await expectAccessible()
})

it('filters by the address', async () => {
  const screen = await openList(taskLedger(MANY()), '/tasks?status=dead&agent=scout')
  await expect.element(screen.row('Name 2 bees.')).toBeVisible()
  expect(screen.row('Name 3 bees.').query()).toBeNull()
  expect(screen.listed).toContainEqual(expect.objectContaining({ status: 'dead', agent: 'scout' }))
})

/** The form of a new task with everything in it that it needs. */
async function openForm() {
  const screen = await openList(taskLedger([]))
  await expect.element(screen.getByText(t('empty'))).toBeVisible()
  await screen.getByRole('button', { name: t('newTask') }).click()
  const { dialog } = screen
  const field = (label: string) => dialog.getByRole('textbox', { name: new RegExp(`^${label}`) })
  await field(t('agent')).fill('scout')
  await field(t('context')).fill('garden')
  await field(t('prompt')).fill('Name three bees.')
  const create = dialog.getByRole('button', { name: t('createTask') })
  return { ...screen, prompt: field(t('prompt')), create }
}

/** The next new task is created, and the page does not hear of it. */
function loseNextAnswer() {
  const answering = window.fetch
  window.fetch = async (...request) => {
    const answer = await answering(...request)
    if (!String(request[0]).includes('tasks.create')) return answer
    window.fetch = answering
    throw new TypeError('Failed to fetch')
  }
}

it('creates a task', async () => {
  const screen = await openForm()
  await screen.create.click()
  await expect.poll(() => window.location.pathname).toBe(`/tasks/${idOf(1)}`)
  expect(screen.sent).toMatchObject([['create', { agent_slug: 'scout', prompt: 'Name three bees.' }]])
})

it('goes to the task whose answer was lost when the same is sent again', async () => {
  const screen = await openForm()
  loseNextAnswer()
  await screen.create.click()
  await expect.element(screen.getByText(errors('NETWORK'))).toBeVisible()
  await screen.create.click()
  await expect.poll(() => window.location.pathname).toBe(`/tasks/${idOf(1)}`)
  await expect.element(screen.getByText(t('newTaskDone'))).toBeVisible()
  expect(screen.getByText(errors('DUPLICATE_ENTRY')).query()).toBeNull()
  expect(screen.tasks).toHaveLength(1)
})

it('says that a task whose answer was lost is there when another prompt is sent, and creates that at the next press', async () => {
  const screen = await openForm()
  loseNextAnswer()
  await screen.create.click()
  await expect.element(screen.getByText(errors('NETWORK'))).toBeVisible()
  await screen.prompt.fill('Name four bees.')
  await screen.create.click()
  await expect.element(screen.getByText(t('newTaskBefore'))).toBeVisible()
  await expectAccessible()
  await screen.create.click()
  await expect.poll(() => window.location.pathname).toBe(`/tasks/${idOf(2)}`)
  expect(screen.tasks.map(({ prompt }) => prompt)).toEqual(['Name four bees.', 'Name three bees.'])
})

it('shows why a task waits', async () => {
  const screen = await openTask(aTask(1))
  await expect.element(screen.getByText(t('wait.no_worker'))).toBeVisible()
  await expect.element(screen.getByRole('heading', { name: t('whyWaiting') })).toBeVisible()
  await expect.element(screen.getByText(new RegExp(t('nobody')))).toBeVisible()
  await screen.command(t('cancel'))
  await expect.element(screen.getByText(t('cancelledState')).first()).toBeVisible()
  expect(screen.sent).toEqual([['cancel', { id: idOf(1), reason: 'asked by olena' }]])
})

it('shows who works on a task, why, under which lease, and what it prints', async () => {
  const task = aTask(1, { status: 'running', attempts: 1, worker_id: WORKER, selection: chosenOrange() })
  const screen = await openTask(task, {
    leases: [aLease(1, { last_heartbeat: before(45) })],
    attempt_list: [
      anAttempt(1, {
        tail: 'Reading the notes…',
        context_report: [
          { hint: 'notes/bees.md', status: 'truncated', reason: 'too long', tokens: 900 },
          { hint: '../keys', status: 'skipped', reason: HINT_REASONS.outside },
        ],
      }),
    ],
    history: [
      {
        ...{ at: before(60), name: 'task.created', from: null, to: 'queued', actor: 'operator:olena' },
        ...{ reason: null, error_code: null },
      },
    ],
  })
  await expect.element(screen.getByText(/^orange was chosen: it has the most free slots\./)).toBeVisible()
  await expect.element(screen.getByRole('progressbar', { name: t('leaseLeft') })).toBeVisible()
  await expect.element(screen.getByText(t('silent'))).toBeVisible()
  await expect.element(screen.getByRole('group', { name: t('tail') })).toHaveTextContent('Reading the notes…')
  await expect.element(screen.getByText('notes/bees.md')).toBeVisible()
  await expect.element(screen.getByText('too long')).toBeVisible()
  await expect.element(screen.getByText(t('contextReason.outside'))).toBeVisible()
  await expect.element(screen.getByText('by operator:olena')).toBeVisible()
  expect(screen.getByRole('button', { name: t('requeue') }).query()).toBeNull()
  await expectAccessible()
})

it('counts down to a retry, and offers what helps a dead task', async () => {
  const retrying = await openTask(
    aTask(1, { status: 'failed', attempts: 1, error_code: 'rate_limited', retry_at: before(-90) }),
  )
  await expect.element(retrying.getByText(/^Retry in 1 m/)).toBeVisible()
  await expect.element(retrying.getByRole('button', { name: t('cancel') })).toBeVisible()
  await retrying.unmount()
  const dead = await openTask(aTask(2, { status: 'dead', attempts: 3, error_code: 'timeout' }))
  await expect.element(dead.getByText(t('needsPerson'), { exact: true })).toBeVisible()
  expect(dead.getByRole('button', { name: t('cancel') }).query()).toBeNull()
  await dead.command(t('requeue'))
  await expect.element(dead.getByText(t('wait.no_worker'))).toBeVisible()
})
