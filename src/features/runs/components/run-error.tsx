'use client'
import { useTranslations } from 'use-intl/react'
import type { RunErrorCode } from '#contracts/run.contract.ts'
import { CodedError, CodedErrorLine } from '#ui/coded-error.tsx'
import '../messages.ts'

type Shown = { code: string; message: string }

function useSentence({ code }: Shown): string | null {
  const t = useTranslations('runs')
  const key = `errors.${code as RunErrorCode}` as const
  return t.has(key) ? t(key) : null
}

/** Why a run or its agent failed: the sentence, below it the code and what was reported. */
export function RunErrorDetail({ error }: { error: Shown }) {
  return <CodedError sentence={useSentence(error)} code={error.code} message={error.message} />
}

/** The same in one line, with what was reported as the hint. */
export function RunErrorLine({ error, className }: { error: Shown; className?: string }) {
  return (
    <CodedErrorLine
      sentence={useSentence(error)}
      code={error.code}
      message={error.message}
      {...(className ? { className } : {})}
    />
  )
}
