'use client'
import { useTranslations } from 'use-intl/react'
import type { RuleTrace } from '#contracts/rule-trace.contract.ts'
import { RuleName } from './rule-name.tsx'

/** How the approval rules judged a proposal when it came: the entry that decided, with its rule. */
export function RuleVerdict({ trace }: { trace: RuleTrace }) {
  const t = useTranslations('approvalRules')
  const last = trace.at(-1)
  if (!last) return null
  return (
    <span>
      {t(`outcomes.${last.outcome}`)}
      {last.outcome === 'no_match' ? null : (
        <>
          {' · '}
          <RuleName id={last.rule_id} /> v{last.version}
        </>
      )}
    </span>
  )
}
