import { expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import type { JobDetail } from '#contracts/job.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { aJobDetail } from '../testing/job-detail.ts'
import { jobLedger } from '../testing/jobs.ts'
import { ReplayJob } from './replay-job.tsx'

const t = textsOf('jobs')

async function open(more: Partial<JobDetail> = {}) {
  const ledger = jobLedger([])
  const job = aJobDetail({ status: 'COMPLETE', failure_kind: null, error: null, actions: [], ...more })
  const screen = await renderInConsole(<ReplayJob job={job} />, {
    procedures: ledger.procedures,
    at: `/jobs/${job.job_id}`,
  })
  return { ...screen, ledger, job, button: screen.getByRole('button', { name: t('replay.act') }) }
}

async function form(more: Partial<JobDetail> = {}) {
  const screen = await open(more)
  await userEvent.keyboard('p')
  const dialog = screen.getByRole('dialog', { name: t('replay.title') })
  const reason = dialog.getByRole('textbox', { name: t('replay.reason'), exact: false })
  const question = dialog.getByRole('textbox', { name: t('question'), exact: false })
  return {
    ...screen,
    dialog,
    reason,
    question,
    submit: dialog.getByRole('button', { name: t('replay.act') }),
  }
}

it('asks why, and replays the job as it was', async () => {
  const { ledger, dialog, reason, submit, job, question } = await form()
  await expect.element(question).toHaveValue('What do bees need in May?')
  await expect.element(submit).toBeDisabled()
  await expectAccessible()
  await reason.fill('The sources have changed.')
  await submit.click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(ledger.asked).toEqual([
    {
      command: 'replay',
      input: { job_id: job.job_id, reason: 'The sources have changed.', replay_id: expect.any(String) },
    },
  ])
})

it('replays it with another question', async () => {
  const { ledger, dialog, reason, submit, question } = await form()
  await question.fill('And in June?')
  await expect.element(question).toHaveAccessibleDescription(t('replay.changed'))
  await reason.fill('A month later.')
  await submit.click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(ledger.asked).toMatchObject([{ input: { payload: { query: 'And in June?' } } }])
})

it('leaves a payload of more than a question as it is', async () => {
  const { ledger, dialog, reason, submit, question } = await form({
    payload: { query: 'Bees?', sources: [] },
  })
  await reason.fill('Once more.')
  await expect.element(question).not.toBeInTheDocument()
  await submit.click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(ledger.asked[0]?.input).not.toHaveProperty('payload')
})

it('keeps what was typed when it is refused, and the id of the new job', async () => {
  const { ledger, reason, submit } = await form()
  ledger.fail(new Error('gone'))
  await reason.fill('Once more.')
  await submit.click()
  await expect.poll(() => ledger.asked.length).toBe(1)
  await expect.element(reason).toHaveValue('Once more.')
  ledger.fail(null)
  await expect.element(submit).toBeEnabled()
  await submit.click()
  await expect.poll(() => ledger.asked.length).toBe(2)
  const ids = ledger.asked.map(({ input }) => (input as { replay_id: string }).replay_id)
  expect(ids[0]).toBe(ids[1])
})

it('is another job once its id is known to belong to one with another question', async () => {
  const { ledger, reason, submit } = await form()
  ledger.fail(new Refused('IDEMPOTENCY_MISMATCH', 'asks for something else'))
  await reason.fill('Once more.')
  await submit.click()
  await expect.poll(() => ledger.asked.length).toBe(1)
  ledger.fail(null)
  await expect.element(submit).toBeEnabled()
  await submit.click()
  await expect.poll(() => ledger.asked.length).toBe(2)
  const ids = ledger.asked.map(({ input }) => (input as { replay_id: string }).replay_id)
  expect(ids[0]).not.toBe(ids[1])
})

it('says that an inactive agent makes it wait', async () => {
  const { dialog } = await form({ agent_slug: 'scout' })
  await expect.element(dialog.getByText(t('replay.inactive', { agent: 'scout' }))).toBeVisible()
})

it.each(['PENDING', 'QUEUED', 'NOTEBOOKLM_CALL', 'RETRY_BACKOFF'] as const)(
  'is not offered for %s',
  async (status) => {
    const { button } = await open({ status })
    await expect.element(button).not.toBeInTheDocument()
  },
)
