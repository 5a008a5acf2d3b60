'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProposalItem, ProposalView } from '#contracts/proposal.contract.ts'
import { ObjectHistory } from '#features/audit/index.ts'
import { AfterPaint } from '#lib/after-paint.tsx'
import { DocumentTitle } from '#lib/document-title.tsx'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { isStillAt, showUrl } from '#lib/shown-path.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { ObjectError } from '#ui/object-error.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { useChangeDraft } from '../hooks/use-change-draft.ts'
import { useEdits } from '../hooks/use-edits.ts'
import { useNeighbours } from '../hooks/use-neighbours.ts'
import { useShown } from '../hooks/use-shown.ts'
import type { Position } from '../position.ts'
import { ChangeRequest, SinceReview } from './change-request.tsx'
import { Changes } from './changes.tsx'
import { Citations } from './citations.tsx'
import { Commands } from './commands.tsx'
import { Facts } from './facts.tsx'
import { FileChanged } from './file-changed.tsx'
import { PositionLine } from './position-line.tsx'
import { PredictedConflict } from './predicted-conflict.tsx'
import { ProposalBanner } from './proposal-banner.tsx'
import { AwaitingStatus, ProposalStatus } from './proposal-status.tsx'
import { RequestChanges } from './request-changes.tsx'

/** Loaded when a conflict is first resolved. */
const ResolveConflict = lazy(() =>
  import('./resolve-conflict.tsx').then((m) => ({ default: m.ResolveConflict })),
)

/** What may change what a proposal stands against: decisions, and edits of the garden by hand. */
const MOVES = ['proposal.status.changed', 'health.changed']

export type ReviewProps = {
  id: string
  ids: readonly string[]
  search: string
  /** Where it stands in the list; null when it is not in it. */
  position: Position | null
  /** Told what a command made of the proposal. */
  decided: (proposal: ProposalItem) => void
}

/** One proposal under review: what it changes first, then why, on what sources, and what can be done. */
export function Review({ id, ids, search, position, decided }: ReviewProps) {
  const t = useTranslations('proposals')
  const trpc = useTRPC()
  const proposal = useQuery({
    ...trpc.proposals.get.queryOptions({ proposal_id: id }),
    refetchInterval: ({ state }) => (state.data?.changes.some((c) => c.reading) ? POLL_MS.live : false),
  })
  useLiveQueries(MOVES, trpc.proposals.get.pathFilter(), POLL_MS.moving)
  useLiveQueries(MOVES, trpc.proposals.conflict.pathFilter(), POLL_MS.moving)
  useMarkSeen(proposal.data)
  usePrefetchNext(id, ids)
  if (!proposal.data)
    return proposal.error ? (
      <ObjectError error={proposal.error} onRetry={() => proposal.refetch()} id={id} listHref="/proposals" />
    ) : (
      <Skeleton lines={14} label={t('proposal')} />
    )
  return <Reviewed proposal={proposal.data} {...{ ids, search, position, decided }} />
}

function Reviewed({
  proposal: p,
  ids,
  search,
  position,
  decided,
}: Omit<ReviewProps, 'id'> & { proposal: ProposalView }) {
  const t = useTranslations('proposals')
  const edits = useEdits(p)
  const shown = useShown(p, edits)
  const asked = useChangeDraft(p)
  const [isAsked, setResolving] = useState(false)
  const neighbours = useNeighbours(p.proposal_id, ids)
  const isHere = () => isStillAt(`/proposals/${p.proposal_id}`)
  /** Once an answer is there: who has gone on meanwhile stays there. */
  const goOn = () => {
    if (!isHere()) return
    const to = neighbours.next ?? neighbours.previous
    showUrl(to ? `/proposals/${to}${search}` : `/proposals${search}`, true)
  }
  const sent = (waiting: ProposalItem) => {
    decided(waiting)
    goOn()
  }
  const changes = <Changes proposal={p} edits={edits} draft={asked} />
  const isResolving = isAsked && p.commands.includes('rebase')
  return (
    <article data-review={p.proposal_id} data-digest={p.review_digest}>
      <DocumentTitle name={p.summary} />
      {/* The bar of an edit stays in view over the whole article. */}
      <header className="contents">
        {position ? <PositionLine position={position} /> : null}
        <div className="mb-2 flex flex-wrap items-center gap-3">
          <ProposalStatus proposal={p} variant="soft" />
          {p.awaiting_changes_since ? <AwaitingStatus /> : null}
        </div>
        <h2 className="text-lg font-semibold tracking-tight">{p.summary}</h2>
        <ProposalBanner proposal={p} />
        <FileChanged proposal={p} />
        <PredictedConflict proposal={p} />
        <ChangeRequest proposal={p} request={shown.request} />
        <Commands
          proposal={p}
          neighbours={neighbours}
          goOn={goOn}
          search={search}
          decided={decided}
          edits={edits}
          files={shown}
          requestChanges={asked.openForm}
          isResolving={isResolving}
          resolve={() => setResolving(!isResolving)}
        />
        {asked.isOpen ? <RequestChanges proposal={p} draft={asked} sent={sent} /> : null}
      </header>
      {isResolving ? (
        <Suspense fallback={<Skeleton lines={10} label={t('resolveTitle')} />}>
          <ResolveConflict
            id={p.proposal_id}
            close={() => setResolving(false)}
            open={(child) => isHere() && showUrl(`/proposals/${child}${search}`, true)}
          />
        </Suspense>
      ) : (
        <SinceReview files={shown} whole={changes} />
      )}
      <Section title={t('why')}>
        <p className="max-w-prose whitespace-pre-line">{p.reasoning || t('noReasoning')}</p>
        {p.source.tainted ? <p className="mt-2 text-sm text-waiting">{t('tainted')}</p> : null}
      </Section>
      <AfterPaint>
        {p.citations.length > 0 ? (
          <Section title={t('citations')}>
            <Citations citations={p.citations} />
          </Section>
        ) : null}
        <Section title={t('details')}>
          <Facts proposal={p} />
        </Section>
        <Section title={t('history')}>
          <ObjectHistory key={p.version} type="proposal" id={p.proposal_id} />
        </Section>
      </AfterPaint>
    </article>
  )
}

const AHEAD = 2

/** The next two are read ahead, so that a decision leads on without a wait. */
function usePrefetchNext(id: string, ids: readonly string[]): void {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const at = ids.indexOf(id)
  const next = at < 0 ? '' : ids.slice(at + 1, at + 1 + AHEAD).join(' ')
  useEffect(() => {
    for (const proposal_id of next.split(' ').filter(Boolean))
      void queries.prefetchQuery(trpc.proposals.get.queryOptions({ proposal_id }))
  }, [next, queries, trpc])
}

/** What is only passed on the way through the list has not been looked at. */
const SEEN_AFTER_MS = 1_000

/** Looking at a proposal marks it as seen, once, and only by who decides. */
function useMarkSeen(proposal: ProposalView | undefined): void {
  const trpc = useTRPC()
  const { role } = useSession()
  const { mutate } = useToastMutation(trpc.proposals.markSeen.mutationOptions(), { onFault: () => true })
  const fresh =
    role === 'owner' && proposal?.status === 'PENDING' && !proposal.seen ? proposal.proposal_id : null
  useEffect(() => {
    if (!fresh) return
    const timer = setTimeout(() => mutate({ proposal_id: fresh }), SEEN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [fresh, mutate])
}
