'use client'
import { useTranslations } from 'use-intl/react'
import type { QuestionView } from '#contracts/question.contract.ts'
import { RelativeTime } from '#ui/time.tsx'

/** A question that is closed: what was answered, by whom and when, or why nobody did. `waits`: its run has not gone on yet. */
export function Answered({ question, waits }: { question: QuestionView; waits: boolean }) {
  const t = useTranslations('questions')
  const { answer, answered_at, text } = question
  return (
    <>
      <p className="whitespace-pre-line text-ink-2 [overflow-wrap:anywhere]">{text}</p>
      {answer === null ? null : (
        <p className="mt-1 whitespace-pre-line font-medium text-ink [overflow-wrap:anywhere]">{answer}</p>
      )}
      <p className="mt-1 flex flex-wrap gap-x-3 text-sm text-ink-3">
        <span>{howClosed(question, t)}</span>
        {answered_at ? <RelativeTime at={answered_at} /> : null}
        {waits ? <span className="text-waiting">{t('continues')}</span> : null}
      </p>
    </>
  )
}

function howClosed(
  { status, answer, answered_by }: QuestionView,
  t: ReturnType<typeof useTranslations<'questions'>>,
): string {
  if (answered_by !== null) return t('answeredBy', { who: answered_by })
  if (status === 'withdrawn') return t('withdrawn')
  return t(answer === null ? 'expired' : 'byDefault')
}
