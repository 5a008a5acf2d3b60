'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { QuestionAnswerInput, QuestionView } from '#contracts/question.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { offeredAnswers, QUESTION_LIMITS } from '#domain/run/question.rules.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useRight, useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useDraft } from '#lib/use-draft.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { TextArea } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import { Countdown, RelativeTime } from '#ui/time.tsx'

const HOUR_MS = 3_600_000

type Reply = Pick<QuestionAnswerInput, 'choice' | 'text'>

/** A question that waits: its choices by click or digit, and words of one's own, kept while they are written. */
export function OpenQuestion({ question }: { question: QuestionView }) {
  const t = useTranslations('questions')
  const { question_id, text } = question
  const offered = offeredAnswers(question)
  const { send, busy } = useAnswer(question_id)
  const answers = may(useSession().role, 'question.answer')
  return (
    <div className="rounded border border-line-strong/70 bg-surface px-4 py-3">
      <p className="whitespace-pre-line text-base font-semibold text-ink [overflow-wrap:anywhere]">{text}</p>
      <Facts question={question} />
      {offered.length > 0 ? (
        <Choices offered={offered} busy={busy} choose={(choice) => send({ choice })} />
      ) : null}
      {answers ? (
        <OwnWords id={question_id} isOther={offered.length > 0} busy={busy} send={send} />
      ) : (
        <p className="mt-3 text-sm text-ink-2">{t('ownerAnswers')}</p>
      )}
    </div>
  )
}

function useAnswer(question_id: string) {
  const t = useTranslations('questions')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const answer = useToastMutation(
    trpc.questions.answer.mutationOptions({
      onSuccess: () => queries.invalidateQueries(trpc.questions.pathFilter()),
    }),
    { done: () => t('sent') },
  )
  const busy = answer.isPending || answer.isSuccess
  const send = async (reply: Reply): Promise<boolean> => {
    if (busy) return false
    return answer.mutateAsync({ question_id, ...reply }).then(
      () => true,
      () => false,
    )
  }
  return { send, busy }
}

function Facts({ question }: { question: QuestionView }) {
  const t = useTranslations('questions')
  const { agent_name, asked_at, default_answer, expires_at } = question
  return (
    <div className="mt-1 flex flex-wrap gap-x-3 text-sm text-ink-2">
      <span>
        {t('from', { agent: agent_name })} <RelativeTime at={asked_at} />
      </span>
      <span>
        {t('expiresIn')} <Countdown until={expires_at} urgentBelow={HOUR_MS} due={t('expiredJustNow')} />
      </span>
      <span>{default_answer === null ? t('ifNobodyFails') : t('ifNobody', { answer: default_answer })}</span>
    </div>
  )
}

type ChoicesProps = { offered: readonly string[]; busy: boolean; choose: (choice: number) => void }

function Choices({ offered, busy, choose }: ChoicesProps) {
  const t = useTranslations('questions')
  return (
    <ul className="mt-3 flex flex-wrap gap-2" aria-label={t('choices')}>
      {offered.map((answer, i) => (
        <li key={answer} className="max-w-full">
          <Choice answer={answer} n={i + 1} busy={busy} choose={() => choose(i + 1)} />
        </li>
      ))}
    </ul>
  )
}

type ChoiceProps = { answer: string; n: number; busy: boolean; choose: () => void }

function Choice({ answer, n, busy, choose }: ChoiceProps) {
  const t = useTranslations('questions')
  const no = useRight('question.answer')
  useAction({
    id: `questions.choice.${n}`,
    label: t('answerWith', { answer }),
    keys: String(n),
    group: t('group'),
    run: choose,
    ...(no ? { disabledReason: no } : {}),
  })
  return (
    <Button keys={String(n)} disabledReason={no} disabled={busy} onClick={choose} className="max-w-full">
      <span className="min-w-0 truncate" title={answer}>
        {answer}
      </span>
    </Button>
  )
}

type WordsProps = { id: string; isOther: boolean; busy: boolean; send: (reply: Reply) => Promise<boolean> }

function OwnWords({ id, isOther, busy, send }: WordsProps) {
  const t = useTranslations('questions')
  const no = useRight('question.answer')
  const draft = useDraft(`question:${id}`, { text: '' })
  const text = draft.values.text.trim()
  const submit = async () => {
    if (text === '' || no || busy) return
    if (await send({ text })) draft.clear()
  }
  return (
    <div className="mt-3 max-w-prose">
      <Form onSubmit={submit}>
        <TextArea
          label={t(isOther ? 'otherAnswer' : 'yourAnswer')}
          hint={t('hint')}
          value={draft.values.text}
          onChange={(value) => draft.set('text', value)}
          rows={2}
          maxLength={QUESTION_LIMITS.answerChars}
        />
        <Button
          type="submit"
          kind="primary"
          className="mt-2"
          busy={busy}
          disabled={text === ''}
          disabledReason={no}
        >
          {t('send')}
        </Button>
      </Form>
    </div>
  )
}
