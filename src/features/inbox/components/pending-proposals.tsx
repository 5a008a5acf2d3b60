'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { ProposalItem } from '#contracts/proposal.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { Link } from '#ui/link.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { Countdown } from '#ui/time.tsx'
import { WAITING } from '../input.ts'

const DAY_MS = 86_400_000

/** The first pending proposals, in the order they should be decided. Who does not decide is not asked to. */
export function PendingProposals() {
  const t = useTranslations('inbox')
  const trpc = useTRPC()
  const decides = may(useSession().role, 'proposal.decide')
  const title = t(decides ? 'needsReview' : 'pendingProposals')
  const waiting = useQuery(trpc.proposals.list.queryOptions(WAITING))
  useLiveQueries(
    ['proposal.created', 'proposal.status.changed'],
    trpc.proposals.list.queryFilter(WAITING),
    POLL_MS.slow,
  )
  const items = waiting.data?.items
  return (
    <Section
      title={title}
      actions={items?.length ? <Link href="/proposals">{t(decides ? 'reviewAll' : 'viewAll')}</Link> : null}
    >
      {waiting.error && !items ? (
        <ErrorState error={waiting.error} onRetry={() => waiting.refetch()} />
      ) : null}
      {!items && !waiting.error ? <Skeleton lines={4} label={title} /> : null}
      {items?.length === 0 && !decides ? (
        <EmptyState title={t('noPending')}>{t('noPendingHint')}</EmptyState>
      ) : null}
      {items?.length === 0 && decides ? (
        <EmptyState
          title={t('caughtUp')}
          action={
            <Link href="/agents" className={buttonClass('secondary')}>
              {t('runAgent')}
            </Link>
          }
        >
          {t('caughtUpHint')}
        </EmptyState>
      ) : null}
      <ul className="divide-y divide-line">
        {items?.map((p) => (
          <li key={p.proposal_id}>
            <Item proposal={p} act={t(decides ? 'review' : 'view')} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Item({ proposal: p, act }: { proposal: ProposalItem; act: string }) {
  const t = useTranslations('inbox')
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 py-2.5">
      <div className="min-w-0 flex-1 basis-64">
        <Link
          quiet
          href={`/proposals/${p.proposal_id}`}
          className={p.seen ? 'block truncate' : 'block truncate font-semibold'}
        >
          {p.summary}
        </Link>
        <p className="flex gap-x-3 truncate text-sm text-ink-3">
          <span>{p.agent ?? p.source.identity}</span>
          <span className="min-w-0 truncate font-mono">{p.target.path}</span>
        </p>
      </div>
      <span className="flex items-center gap-4 text-sm text-ink-3">
        <span>
          {t('expiresIn')} <Countdown until={p.expires_at} urgentBelow={DAY_MS} />
        </span>
        <Link href={`/proposals/${p.proposal_id}`} className={buttonClass('secondary', 'sm')}>
          {act}
        </Link>
      </span>
    </div>
  )
}
