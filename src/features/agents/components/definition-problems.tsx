'use client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { AgentProblem, DefinitionCheck, DefinitionCheckInput } from '#contracts/agent.contract.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useDebounced } from '#lib/use-debounced.ts'
import { ExactTime } from '#ui/time.tsx'

const WAIT_MS = 400

export type Check = Partial<DefinitionCheck> & { errors: number }

/** What the server says of the text once its author pauses: the same rules as the gate. */
export function useDefinitionCheck(input: DefinitionCheckInput): Check {
  const trpc = useTRPC()
  const still = useDebounced(input.text, WAIT_MS)
  const asked = useDebounced(input.slug, WAIT_MS)
  const check = useQuery(
    trpc.agents.check.queryOptions(
      { ...input, slug: asked, text: still },
      { trpc: { context: { longInput: true } }, placeholderData: keepPreviousData, enabled: asked !== '' },
    ),
  )
  const problems = check.data?.problems ?? []
  return { ...check.data, errors: problems.filter((p) => p.severity === 'error').length }
}

/** The problems by line, and when the schedule would run. */
export function ProblemList({ check }: { check: Check }) {
  const t = useTranslations('agents')
  return (
    <div aria-live="polite" className="mt-4 text-sm">
      {check.problems?.length ? <Problems problems={check.problems} /> : null}
      {check.problems?.length === 0 ? <p className="text-done">{t('valid')}</p> : null}
      {check.next_runs?.length ? (
        <p className="mt-1 flex flex-wrap gap-x-3 text-ink-2">
          {t('nextRuns')}
          {check.next_runs.map((at) => (
            <ExactTime key={at} at={at} />
          ))}
        </p>
      ) : null}
    </div>
  )
}

/** Each problem with its line; errors keep the definition out, warnings do not. */
export function Problems({ problems }: { problems: readonly AgentProblem[] }) {
  const t = useTranslations('agents')
  return (
    <ul className="space-y-1">
      {problems.map((p) => (
        <li
          key={`${p.code}${p.line}${p.message}`}
          className={p.severity === 'error' ? 'text-failed' : 'text-waiting'}
        >
          {p.line === null ? '' : <span className="tabular">{t('line', { n: p.line })}: </span>}
          <Text problem={p} />
        </li>
      ))}
    </ul>
  )
}

/** These say everything there is to say; the message of another one has the particulars. */
const WHOLE: readonly string[] = [
  'file_missing',
  'frontmatter_missing',
  'body_empty',
  'no_output_tool',
  'slug_taken',
]

function Text({ problem: { code, message } }: { problem: AgentProblem }) {
  const t = useTranslations('agents')
  const key = `problem.${code as 'body_empty'}` as const
  if (!t.has(key)) return message
  return WHOLE.includes(code) ? (
    t(key)
  ) : (
    <>
      {t(key)} <span className="text-ink-2 [overflow-wrap:anywhere]">{message}</span>
    </>
  )
}
