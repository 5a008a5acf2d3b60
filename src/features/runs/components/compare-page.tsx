'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { RunComparison } from '#contracts/run-comparison.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useFilters } from '#lib/url-state.ts'
import { Button } from '#ui/button.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { goToFirstDifference } from '#ui/compare-table.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { Link } from '#ui/link.tsx'
import { ObjectError } from '#ui/object-error.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
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
  if (!input) return <Choose />
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

function Choose() {
  const t = useTranslations('runs')
  return (
    <Page wide>
      <EmptyState
        as="h1"
        title={t('compare.choose')}
        action={
          <Link href="/runs" className={buttonClass('primary')}>
            {t('compare.allRuns')}
          </Link>
        }
      >
        {t('compare.chooseHint')}
      </EmptyState>
    </Page>
  )
}

type Props = { comparison: RunComparison; swap: () => void }

function Compared({ comparison, swap }: Props) {
  const t = useTranslations('runs')
  useAction({ id: 'compare.swap', label: t('compare.swap'), keys: 's', group: t('compare.title'), run: swap })
  return (
    <Page wide>
      <PageHeader
        above={<Link href="/runs">{t('title')}</Link>}
        title={t('compare.title')}
        sentence={<First comparison={comparison} />}
        action={
          <Button keys="s" onClick={swap}>
            {t('compare.swap')}
          </Button>
        }
      />
      <ComparedOverview comparison={comparison} />
      <ComparedContext entries={comparison.context} />
      <ComparedSteps comparison={comparison} />
      <ComparedDrafts pairs={comparison.proposals} />
    </Page>
  )
}

/** Where the two part, and the way there. */
function First({ comparison: { a, first_difference: first } }: { comparison: RunComparison }) {
  const t = useTranslations('runs')
  useAction(
    first
      ? {
          id: 'compare.first',
          label: t('compare.goFirst'),
          keys: 'f',
          group: t('compare.title'),
          run: goToFirstDifference,
        }
      : null,
  )
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Link href={`/agents/${a.agent_slug}`}>{a.agent_slug}</Link>
      {first ? (
        <>
          <span className="text-waiting">{t(`compare.firstIn.${first.part}`, { n: first.step ?? 0 })}</span>
          {first.path ? <code className="break-all font-mono text-sm">{first.path}</code> : null}
          <Button size="sm" keys="f" onClick={goToFirstDifference}>
            {t('compare.goFirst')}
          </Button>
        </>
      ) : (
        <span className="text-done">{t('compare.alike')}</span>
      )}
    </span>
  )
}
