'use client'
import { useTranslations } from 'use-intl/react'
import type { JobError } from '#contracts/job.contract.ts'
import { JOB_ERROR_CODES } from '#domain/job/job.rules.ts'
import { CodedError, CodedErrorLine } from '#ui/coded-error.tsx'

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
  return (
    <CodedErrorLine
      sentence={useErrorSentence()(error.code)}
      code={error.code}
      message={error.message}
      {...(className ? { className } : {})}
    />
  )
}

/** An error in full: the sentence, below it the code and what was reported, word for word. */
export function JobErrorDetail({ error }: { error: Shown }) {
  return <CodedError sentence={useErrorSentence()(error.code)} code={error.code} message={error.message} />
}
