import { expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import type { JobDetail } from '#contracts/job.contract.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { aJob, jobLedger } from '../testing/jobs.ts'
import { RequestJobAgain } from './request-job.tsx'

const t = textsOf('jobs')

async function open(more: Partial<JobDetail> = {}) {
  const ledger = jobLedger([])
  const job = {
    ...aJob(1, { status: 'FAILED', failure_kind: 'invalid' }),
    payload: { query: 'Slugs?' },
    ...more,
  } as JobDetail
  const screen = await renderInConsole(<RequestJobAgain job={job} />, {
    procedures: ledger.procedures,
    at: `/jobs/${job.job_id}`,
  })
  return { ...screen, ledger, button: screen.getByRole('button', { name: t('again') }) }
}

it('asks a refused research job’s question once more, as another job', async () => {
  const { ledger, ...screen } = await open()
  await userEvent.keyboard('n')
  const dialog = screen.getByRole('dialog', { name: t('again') })
  await expect.element(dialog.getByRole('textbox')).toHaveValue('Slugs?')
  await dialog.getByRole('button', { name: t('newJobSubmit') }).click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(ledger.asked).toMatchObject([
    {
      command: 'submit',
      input: { job_type: 'RESEARCH', agent_slug: 'librarian', payload: { query: 'Slugs?' } },
    },
  ])
})

it('gives it to no other agent when its own is not active', async () => {
  const { ledger, ...screen } = await open({ agent_slug: 'scout' })
  await userEvent.keyboard('n')
  const dialog = screen.getByRole('dialog', { name: t('again') })
  const agent = dialog.getByRole('combobox', { name: t('agent') })
  await expect.element(agent).toHaveAccessibleDescription(t('agentInactive', { agent: 'scout' }))
  await expect.element(agent).toHaveValue('')
  const submit = dialog.getByRole('button', { name: t('newJobSubmit') })
  await expect.element(submit).toBeDisabled()
  await agent.selectOptions('Research Librarian')
  await submit.click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(ledger.asked).toMatchObject([{ command: 'submit', input: { agent_slug: 'librarian' } }])
})

it.each([
  ['a job that can be requeued', { status: 'DEAD', failure_kind: 'exhausted' }],
  ['a job that is done', { status: 'COMPLETE', failure_kind: null }],
  ['a job of a run', { run_id: 'run_2026-03-02_090000_aaaaaa' }],
  ['a payload with more than a question', { payload: { query: 'Slugs?', sources: [] } }],
] as const)('is not offered for %s', async (_what, more) => {
  const { button } = await open(more as Partial<JobDetail>)
  await expect.element(button).not.toBeInTheDocument()
})
