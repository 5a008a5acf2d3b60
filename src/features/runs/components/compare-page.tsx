'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { RunComparison } from '#contracts/run-comparison.contract.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useFilters } from '#lib/url-state.ts'
import { ChooseTwo, ComparePage } from '#ui/compare-page.tsx'
import { Link } from '#ui/link.tsx'
import { ObjectError } from '#ui/object-error.tsx'
import { Page } from '#ui/page.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { compareInput } from '../input.ts'
import { ComparedContext } from './compared-context.tsx'
import { ComparedDrafts } from './compared-drafts.tsx'
import { ComparedOverview } from './compared-overview.tsx'
import { ComparedSteps } from './compared-steps.tsx'

/** Two runs of one agent side by side; which two stands in the address. */
export function CompareRunsPage() {
  const t = useTranslations('runs')
  const trpc = useTRPC()
  const sides = useFilters(['a', 'b'])
  const input = compareInput(sides.values)
  const found = useQuery({
    ...trpc.runs.compare.queryOptions(input ?? { a: '', b: '' }),
    enabled: input !== null,
  })
  if (!input)
    return (
      <ChooseTwo
        title={t('compare.choose')}
        hint={t('compare.chooseHint')}
        list={{ href: '/runs', label: t('compare.allRuns') }}
      />
    )
  if (!found.data)
    return (
      <Page wide>
        {found.error ? (
          <ObjectError
            error={found.error}
            onRetry={() => found.refetch()}
            id={`${input.a} ${input.b}`}
            listHref="/runs"
          />
        ) : (
          <Skeleton lines={14} label={t('compare.title')} />
        )}
      </Page>
    )
  return <Compared comparison={found.data} swap={() => sides.set({ a: input.b, b: input.a })} />
}

type Props = { comparison: RunComparison; swap: () => void }

function Compared({ comparison, swap }: Props) {
  const t = useTranslations('runs')
  return (
    <ComparePage
      above={<Link href="/runs">{t('title')}</Link>}
      title={t('compare.title')}
      sentence={<First comparison={comparison} />}
      hasDifference={comparison.first_difference !== null}
      swap={swap}
    >
      <ComparedOverview comparison={comparison} />
      <ComparedContext entries={comparison.context} />
      <ComparedSteps comparison={comparison} />
      <ComparedDrafts pairs={comparison.proposals} />
    </ComparePage>
  )
}

/** Whose runs they are, and where the two part. */
function First({ comparison: { a, first_difference: first } }: { comparison: RunComparison }) {
  const t = useTranslations('runs')
  return (
    <>
      <Link href={`/agents/${a.agent_slug}`}>{a.agent_slug}</Link>
      <span className={first ? 'text-waiting' : 'text-done'}>
        {first ? t(`compare.firstIn.${first.part}`, { n: first.step ?? 0 }) : t('compare.alike')}
      </span>
      {first?.path ? <code className="break-all font-mono text-sm">{first.path}</code> : null}
    </>
  )
}
