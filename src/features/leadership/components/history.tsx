'use client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { LEADERSHIP_EVENTS, LeadershipEvent } from '#contracts/leadership.contract.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useCodeText } from '#lib/use-fault-text.ts'
import { useInfiniteRows } from '#lib/use-infinite-rows.ts'
import { Button } from '#ui/button.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { Link } from '#ui/link.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { StatusBadge, type StatusStyle } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'

/** Who changed the leadership of a project, when and why, newest first; each line leads to its audit event. */
export function History({ cid }: { cid: string }) {
  const t = useTranslations('leadership')
  const tui = useTranslations('ui')
  const trpc = useTRPC()
  const list = useInfiniteQuery(
    trpc.leadership.history.infiniteQueryOptions({ cid, limit: 20 }, CURSOR_PAGES),
  )
  const { rows, error, more, onRetry } = useInfiniteRows(list)
  if (!rows)
    return error ? (
      <ErrorState error={error} onRetry={onRetry} />
    ) : (
      <Skeleton lines={4} label={t('history')} />
    )
  if (rows.length === 0) return <p className="text-ink-3">{t('historyEmpty')}</p>
  return (
    <>
      <ol aria-label={t('history')} className="divide-y divide-line">
        {rows.map((event) => (
          <Line key={event.event_id} event={event} />
        ))}
      </ol>
      {more.has ? (
        <Button className="mt-3" size="sm" busy={more.loading} onClick={more.load}>
          {tui('more')}
        </Button>
      ) : null}
    </>
  )
}

type Name = (typeof LEADERSHIP_EVENTS)[number]
const KINDS = {
  'leadership.promoted': 'promoted',
  'leadership.refused': 'refused',
  'leadership.expired': 'expired',
  'leadership.incident': 'incident',
  'leadership.granted': 'granted',
} as const satisfies Record<Name, string>
const STYLES: Record<(typeof KINDS)[Name], StatusStyle> = {
  promoted: { tone: 'done' },
  refused: { tone: 'held' },
  expired: { tone: 'waiting' },
  incident: { tone: 'failed' },
  granted: { tone: 'waiting' },
}
const kindOf = (name: string) => (name in KINDS ? KINDS[name as Name] : null)

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const countOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)

function Line({ event }: { event: LeadershipEvent }) {
  const t = useTranslations('leadership')
  const code = useCodeText()
  const { details } = event
  const kind = kindOf(event.name)
  const node = textOf(details.primary_node_id) ?? textOf(details.node_id) ?? textOf(details.holder)
  const [epoch, term] = [countOf(details.epoch), countOf(details.term)]
  return (
    <li className="grid grid-cols-[8rem_minmax(0,1fr)] gap-x-4 py-2 max-sm:grid-cols-1">
      <RelativeTime at={event.at * 1_000} className="tabular pt-0.5 text-sm text-ink-3" />
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <span className="inline-flex flex-wrap items-center gap-x-2">
          <Link quiet href={`/audit?id=${event.event_id}`}>
            {kind === null ? (
              <span className="font-mono text-sm">{event.name}</span>
            ) : (
              <StatusBadge {...STYLES[kind]}>{t(`changeEvent.${kind}`)}</StatusBadge>
            )}
          </Link>
          {node === null ? null : <span className="font-medium">{node}</span>}
          {epoch === null || term === null ? null : (
            <span className="tabular text-sm text-ink-3">{t('epochTerm', { epoch, term })}</span>
          )}
        </span>
        <p className="text-sm text-ink-2">
          {event.actor}
          {event.error_code ? ` · ${code(event.error_code) ?? event.error_code}` : null}
          {event.reason ? ` · “${event.reason}”` : null}
        </p>
      </div>
    </li>
  )
}
