'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { NeedView } from '#contracts/needs.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { useSteady } from '#lib/modals.ts'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { Link } from '#ui/link.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { Digest } from './digest.tsx'
import { Need } from './need.tsx'

const TOPICS = [
  'proposal.created',
  'proposal.status.changed',
  'question.status.changed',
  'job.status.changed',
  'agent.status.changed',
  'health.changed',
  'leadership.changed',
  'incident.changed',
]

/** Everything that waits for the reader, the most urgent first, each with its act; it leaves when it is dealt with, by whomever. */
export function NeedsYou() {
  const t = useTranslations('needs')
  const trpc = useTRPC()
  const needs = useQuery(trpc.needs.list.queryOptions())
  useLiveQueries(TOPICS, trpc.needs.pathFilter(), POLL_MS.slow)
  // One that is being dealt with stays until its dialog is closed, though it needs nobody any more.
  const { items, more_proposals: more = 0, digest } = useSteady(needs.data) ?? {}
  return (
    <Section
      title={t('needsYou')}
      actions={
        items?.some(({ kind }) => kind === 'proposal') ? (
          <Link href="/proposals">{t('reviewAll')}</Link>
        ) : null
      }
    >
      {needs.error && !items ? <ErrorState error={needs.error} onRetry={() => needs.refetch()} /> : null}
      {!items && !needs.error ? <Skeleton lines={4} label={t('needsYou')} /> : null}
      {items?.length === 0 ? <Nothing /> : null}
      {items?.length ? (
        <ul className="divide-y divide-line" aria-label={t('needsYou')}>
          {digest ? (
            <li>
              <Digest digest={digest} />
            </li>
          ) : null}
          {items.map((need) => (
            <li key={keyOf(need)}>
              <Need need={need} />
            </li>
          ))}
          {more > 0 ? (
            <li className="py-2.5">
              <Link href="/proposals">{t('moreProposals', { count: more })}</Link>
            </li>
          ) : null}
        </ul>
      ) : null}
    </Section>
  )
}

function Nothing() {
  const t = useTranslations('needs')
  const decides = may(useSession().role, 'proposal.decide')
  if (!decides) return <EmptyState title={t('nothingNeedsYou')}>{t('nothingNeedsYouHint')}</EmptyState>
  return (
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
  )
}

function keyOf(need: NeedView): string {
  if (need.kind === 'proposal' || need.kind === 'failed_proposal') return need.proposal.proposal_id
  if (need.kind === 'question') return need.question.question_id
  if (need.kind === 'agent') return `agent ${need.agent.slug}`
  if (need.kind === 'component') return `component ${need.component}`
  if (need.kind === 'project') return `project ${need.canonical_id}`
  return need.kind === 'alert' ? need.alert.alert_id : need.kind
}
