'use client'
import { useTranslations } from 'use-intl/react'
import type { Disagreement } from '#contracts/approval-rule.contract.ts'
import { Link } from '#ui/link.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'

type Props = { of: readonly Disagreement[]; opened: readonly string[]; onOpen: (id: string) => void }

/** What the rule would have approved and its owner did not want; each link opens beside and counts as opened. */
export function Disagreements({ of, opened, onOpen }: Props) {
  const t = useTranslations('approvalRules')
  if (of.length === 0) return null
  return (
    <ul className="mt-3 max-h-72 divide-y divide-line overflow-y-auto rounded border border-line">
      {of.map((one) => (
        <li key={one.proposal_id} className="flex flex-wrap items-baseline gap-x-3 px-3 py-2">
          <span className="min-w-0 flex-1">
            <Link
              href={`/proposals/${one.proposal_id}`}
              target="_blank"
              rel="noreferrer"
              onClick={() => onOpen(one.proposal_id)}
              onAuxClick={() => onOpen(one.proposal_id)}
            >
              {one.summary}
            </Link>
            {one.decision_note ? (
              <span className="block text-sm text-ink-2">“{one.decision_note}”</span>
            ) : null}
          </span>
          <span className="text-sm text-ink-3">{t(`kinds.${one.kind}`)}</span>
          {opened.includes(one.proposal_id) ? <StatusBadge tone="done">{t('opened')}</StatusBadge> : null}
        </li>
      ))}
    </ul>
  )
}
