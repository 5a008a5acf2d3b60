'use client'
import { useTranslations } from 'use-intl/react'
import type { ComparedDraft, RunComparison } from '#contracts/run-comparison.contract.ts'
import { useCodeText } from '#lib/use-fault-text.ts'
import { DiffView } from '#ui/lazy.tsx'
import { Link } from '#ui/link.tsx'
import { Section } from '#ui/section.tsx'

type Pair = RunComparison['proposals'][number]

/** What the agent drafted in both runs: the same content, another content for the same target, or one run's alone. */
export function ComparedDrafts({ pairs }: { pairs: readonly Pair[] }) {
  const t = useTranslations('runs')
  return (
    <Section title={t('compare.drafts')}>
      {pairs.length === 0 ? <p className="text-ink-3">{t('compare.noDrafts')}</p> : null}
      <ul className="space-y-4">
        {pairs.map((pair) => (
          <li key={`${pair.a?.digest} ${pair.b?.digest}`}>
            <DraftPair pair={pair} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function DraftPair({ pair: { state, a, b } }: { pair: Pair }) {
  const t = useTranslations('runs')
  const draft = b ?? a
  if (!draft) return null
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span>{draft.summary}</span>
        <span className="break-all font-mono text-sm text-ink-3">{draft.target}</span>
        <span className={state === 'same' ? 'text-sm text-ink-3' : 'text-sm font-medium text-waiting'}>
          {t(`compare.state.${state}`)}
        </span>
      </p>
      <p className="flex flex-wrap gap-x-4 text-sm text-ink-3">
        {a ? <Became side={t('compare.left')} draft={a} /> : null}
        {b ? <Became side={t('compare.right')} draft={b} /> : null}
      </p>
      {state === 'changed' && a && b ? (
        <div className="mt-2">
          <DiffView path={draft.target} before={a.text} after={b.text} keyboard={false} startAt={1} />
        </div>
      ) : null}
    </>
  )
}

/** What step 03 made of a draft. */
function Became({ side, draft }: { side: string; draft: ComparedDraft }) {
  const t = useTranslations('runs')
  const codeText = useCodeText()
  const what = draft.proposal_id ? (
    <Link href={`/proposals/${draft.proposal_id}`} className="break-all font-mono">
      {draft.proposal_id}
    </Link>
  ) : draft.refused ? (
    codeText(draft.refused)
  ) : (
    t('compare.notSet')
  )
  return (
    <span>
      {side}: {what}
    </span>
  )
}
