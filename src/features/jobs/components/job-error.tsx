'use client'
import { useTranslations } from 'use-intl/react'
import type { JobError } from '#contracts/job.contract.ts'
import { JOB_ERROR_CODES } from '#domain/job/job.rules.ts'

type Shown = Pick<JobError, 'code' | 'message'>

/** What an error code says in the reader's language; null for a code that this console does not know. */
export function useErrorSentence(): (code: string) => string | null {
  const t = useTranslations('jobs')
  return (code) => {
    const known = JOB_ERROR_CODES.find((one) => one === code)
    return known ? t(`errors.${known}`) : null
  }
}

/** An error in one line: its sentence, and what was reported as the hint; an unknown code as it was reported. */
export function JobErrorLine({ error, className }: { error: Shown; className?: string }) {
  const sentence = useErrorSentence()(error.code)
  return (
    <span className={className} {...(sentence && error.message ? { 'data-tip': error.message } : {})}>
      {sentence ?? (error.message || error.code)}
    </span>
  )
}

/** An error in full: the sentence, below it the code and what was reported, word for word. */
export function JobErrorDetail({ error }: { error: Shown }) {
  const sentence = useErrorSentence()(error.code)
  return (
    <>
      {sentence ? <p>{sentence}</p> : null}
      <p className="text-sm [overflow-wrap:anywhere]">
        <span className="font-mono">{error.code}</span> {error.message}
      </p>
    </>
  )
}
