'use client'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import type { QuestionView } from '#contracts/question.contract.ts'
import type { RunDetail } from '#contracts/run.contract.ts'
import { QUESTION_OPEN } from '#domain/run/question.rules.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { Section } from '#ui/section.tsx'
import { Answered } from './answered.tsx'
import { OpenQuestion } from './open-question.tsx'

const TOPICS = ['question.status.changed', 'run.status.changed']
type Run = Pick<RunDetail, 'run_id' | 'finished_at' | 'waiting_on'>

/** What the run asked: the open question with its ways to answer, and what was answered before. Nothing for a run that asked nothing. */
export function RunQuestions({ run }: { run: Run }) {
  const t = useTranslations('questions')
  const trpc = useTRPC()
  const options = trpc.questions.list.queryOptions({ run_id: run.run_id })
  const questions = useQuery(options)
  useLiveQueries(TOPICS, { queryKey: options.queryKey }, run.finished_at ? 0 : POLL_MS.moving)
  const items = questions.data?.items ?? []
  if (items.length === 0) return null
  return (
    <Section title={t('title')}>
      <ul className="mb-8 divide-y divide-line">
        {items.map((question) => (
          <Question
            key={question.question_id}
            question={question}
            waits={run.waiting_on?.id === question.question_id}
          />
        ))}
      </ul>
    </Section>
  )
}

function Question({ question, waits }: { question: QuestionView; waits: boolean }) {
  const isOpen = question.status === QUESTION_OPEN
  const item = useRef<HTMLLIElement>(null)
  const wasOpen = useRef(isOpen)
  // What was focused goes with the answer: the reader stays at the question.
  useEffect(() => {
    if (wasOpen.current && !isOpen && document.activeElement === document.body) item.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return (
    <li ref={item} tabIndex={-1} className="py-3 outline-none first:pt-0">
      {isOpen ? <OpenQuestion question={question} /> : <Answered question={question} waits={waits} />}
    </li>
  )
}
