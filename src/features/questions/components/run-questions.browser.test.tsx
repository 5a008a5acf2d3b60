import { expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import {
  type QuestionAnswerInput,
  type QuestionView,
  questionList,
  questionView,
} from '#contracts/question.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import type { Session } from '#lib/session.tsx'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { RunQuestions } from './run-questions.tsx'

const t = textsOf('questions')
const RUN = 'run_2026-03-02_090000_aaaaaa'
const ID = '7b2e4c90-3f18-5d6a-8c41-0e9d5a7f2b36'
const OPEN: QuestionView = {
  ...{
    question_id: ID,
    status: 'open',
    run_id: RUN,
    agent_slug: 'scout',
    agent_name: 'Scout',
    run_title: '',
  },
  ...{ text: 'Which bed?', choices: ['North', 'South'], default_answer: 'Both' },
  ...{ asked_at: '2026-03-02T09:00:00.000Z', expires_at: '2099-03-02T09:00:00.000Z' },
  ...{ answer: null, answered_by: null, answered_at: null },
}
const closed = (answer: string, by: string): QuestionView => ({
  ...OPEN,
  ...{ status: 'answered', answer, answered_by: by, answered_at: '2026-03-02T10:00:00.000Z' },
})

async function open(role: Session['role'] = 'owner', refusal?: Refused) {
  const asked: QuestionAnswerInput[] = []
  let now = OPEN
  const questions = router({
    list: query(questionList, () => ({ items: [now] })),
    answer: mutation(questionView, (input: QuestionAnswerInput) => {
      asked.push(input)
      now = closed(
        refusal ? 'South' : (input.text ?? ['North', 'South', 'Both'][(input.choice ?? 0) - 1] ?? ''),
        refusal ? 'olena' : 'owner',
      )
      if (refusal) throw refusal
      return now
    }),
  })
  const run = { run_id: RUN, finished_at: null, waiting_on: { kind: 'question', id: ID } } as const
  const screen = await renderInConsole(<RunQuestions run={run} />, { procedures: { questions }, role })
  await expect.element(screen.getByText('Which bed?')).toBeVisible()
  return { ...screen, asked }
}

it('is answered by a digit, once, and shows who did', async () => {
  const screen = await open()
  await expectAccessible()
  await userEvent.keyboard('3')
  await expect.element(screen.getByText(t('answeredBy', { who: 'owner' }))).toBeVisible()
  await expect.element(screen.getByText('Both', { exact: true })).toBeVisible()
  await expect.element(screen.getByText(t('continues'))).toBeVisible()
  await userEvent.keyboard('1')
  expect(screen.asked).toEqual([{ question_id: ID, choice: 3 }])
})

it('is answered in words of one’s own; a digit in them is no choice', async () => {
  const screen = await open()
  await userEvent.fill(screen.getByLabelText(t('otherAnswer')), 'Bed ')
  await userEvent.type(screen.getByLabelText(t('otherAnswer')), '2 and 1')
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  await expect.element(screen.getByText(t('answeredBy', { who: 'owner' }))).toBeVisible()
  expect(screen.asked).toEqual([{ question_id: ID, text: 'Bed 2 and 1' }])
})

it('says who was first where the answer comes too late, and keeps the reader at the question', async () => {
  const screen = await open('owner', new Refused('QUESTION_CLOSED', 'Answered.'))
  await screen.getByRole('button', { name: 'North' }).click()
  await expect.element(screen.getByRole('alert')).toBeVisible()
  await expect.element(screen.getByText(t('answeredBy', { who: 'olena' }))).toBeVisible()
  await expect.poll(() => document.activeElement?.textContent).toContain('Which bed?')
})

it('is the owner’s to answer', async () => {
  const screen = await open('operator')
  await expect.element(screen.getByRole('button', { name: 'North' })).toHaveAttribute('aria-disabled', 'true')
  await userEvent.keyboard('1')
  expect(screen.asked).toEqual([])
  await expect.element(screen.getByText(t('ownerAnswers'))).toBeVisible()
  await expect.element(screen.getByRole('textbox')).not.toBeInTheDocument()
})
