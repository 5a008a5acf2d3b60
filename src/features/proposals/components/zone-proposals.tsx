'use client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { usePathname } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { GuestProposalView } from '#contracts/proposal.contract.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { Button } from '#ui/button.tsx'
import { cx } from '#ui/cx.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { ProposalStatus } from './proposal-status.tsx'

/** What a guest sees of the proposals of the zone: the change, its state and dates; nothing to decide. The one of the address is open and in view. */
export function ZoneProposals() {
  const t = useTranslations('proposals')
  const ui = useTranslations('ui')
  const openId = usePathname().split('/')[2]
  const trpc = useTRPC()
  const list = useInfiniteQuery(trpc.proposals.zoneList.infiniteQueryOptions({}, CURSOR_PAGES))
  useLiveQueries(
    ['proposal.created', 'proposal.status.changed'],
    trpc.proposals.zoneList.pathFilter(),
    POLL_MS.slow,
  )
  const items = list.data?.pages.flatMap((p) => p.items)
  return (
    <Page>
      <PageHeader title={t('title')} sentence={t('guestSentence')} />
      {list.error && !items ? <ErrorState error={list.error} onRetry={() => list.refetch()} /> : null}
      {!items && !list.error ? <Skeleton lines={8} label={t('title')} /> : null}
      {items?.length === 0 ? <EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState> : null}
      <ul className="divide-y divide-line">
        {items?.map((p) => (
          <li key={p.proposal_id} className="py-4">
            <One proposal={p} isOpen={p.proposal_id === openId} />
          </li>
        ))}
      </ul>
      {list.hasNextPage ? <Button onClick={() => list.fetchNextPage()}>{ui('more')}</Button> : null}
    </Page>
  )
}

function One({ proposal: p, isOpen }: { proposal: GuestProposalView; isOpen: boolean }) {
  const ref = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isOpen) ref.current?.scrollIntoView({ block: 'start' })
  }, [isOpen])
  return (
    <article ref={ref} className="scroll-mt-4">
      <h2 className="flex flex-wrap items-baseline gap-x-4 gap-y-1 font-semibold">
        {p.summary}
        <ProposalStatus proposal={{ status: p.status, apply_not_before: null }} />
        <RelativeTime at={p.created_at} className="text-sm font-normal text-ink-3" />
      </h2>
      {p.changes.map((change) => (
        <Change key={change.path} change={change} isOpen={isOpen} />
      ))}
    </article>
  )
}

/** A change draws nothing until it is opened. */
function Change({ change, isOpen }: { change: GuestProposalView['changes'][number]; isOpen: boolean }) {
  const [isDrawn, setIsDrawn] = useState(isOpen)
  return (
    <details className="mt-2" open={isOpen} onToggle={(event) => setIsDrawn(event.currentTarget.open)}>
      <summary className="cursor-pointer break-all font-mono text-sm">{change.path}</summary>
      {isDrawn ? <Lines unified={change.unified} /> : null}
    </details>
  )
}

/** As many as the diff of the owner draws at once. */
const LINES_AT_ONCE = 1_000

function Lines({ unified }: { unified: string }) {
  const ui = useTranslations('ui')
  const lines = numbered(unified)
  const [drawn, setDrawn] = useState(LINES_AT_ONCE)
  const left = Math.min(LINES_AT_ONCE, lines.length - drawn)
  return (
    <>
      <pre className="relative mt-2 overflow-x-auto rounded bg-sunken p-3 font-mono text-sm leading-relaxed">
        {lines.slice(0, drawn).map(({ n, line }) => (
          <span
            key={n}
            className={cx(
              'block',
              n < HEADER_LINES && 'text-ink-3',
              n >= HEADER_LINES && line.startsWith('+') && 'bg-done-soft',
              n >= HEADER_LINES && line.startsWith('-') && 'bg-failed-soft',
            )}
          >
            {line || ' '}
          </span>
        ))}
      </pre>
      {left > 0 ? (
        <Button kind="quiet" size="sm" onClick={() => setDrawn(drawn + LINES_AT_ONCE)}>
          {ui('showRows', { count: left })}
        </Button>
      ) : null}
    </>
  )
}

/** A unified diff begins with the names of both files: no lines that were removed or added. */
const HEADER_LINES = 2

const numbered = (text: string) => text.split('\n').map((line, n) => ({ n, line }))
