import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AuditEventView } from '#contracts/audit.contract.ts'
import { type Column, columnsOf } from '#ui/data-table-columns.ts'
import { Id } from '#ui/id.tsx'
import { Link } from '#ui/link.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { addressOf, OUTCOME } from './status.ts'
import { useTransitionLabel } from './use-state-label.ts'
import { useWords } from './use-words.ts'

const NARROW: readonly string[] = ['event', 'outcome', 'time']

/** Beside an open event the list is narrow and shows only what and when. */
export function useAuditColumns(narrow: boolean) {
  const t = useTranslations('audit')
  return useMemo(
    () =>
      columnsOf<AuditEventView>(
        (
          [
            {
              id: 'event',
              header: t('event'),
              card: 'title',
              cell: (e) => <span className="font-mono text-sm">{e.event}</span>,
            },
            {
              id: 'outcome',
              header: t('outcome'),
              card: 'corner',
              cell: (e) => <StatusBadge {...OUTCOME[e.outcome]}>{t(`outcomes.${e.outcome}`)}</StatusBadge>,
            },
            { id: 'change', header: t('change'), width: 'w-full max-w-0', cell: (e) => <Change event={e} /> },
            { id: 'object', header: t('object'), cell: (e) => <ObjectOf event={e} /> },
            {
              id: 'actor',
              header: t('actor'),
              cell: (e) => <span className="whitespace-nowrap text-ink-2">{e.actor}</span>,
            },
            {
              id: 'time',
              header: t('time'),
              align: 'end',
              cell: (e) => <RelativeTime at={e.ts} className="text-ink-3" />,
            },
          ] satisfies Column<AuditEventView>[]
        ).filter((c) => !narrow || NARROW.includes(c.id)),
      ),
    [t, narrow],
  )
}

/** The transition, if there is one, and the reason, if one was given. */
export function Change({ event }: { event: AuditEventView }) {
  const transition = useTransitionLabel()
  const { from, to, resource } = event
  const states = to ? transition({ from, to, type: resource.type }) : (event.error_code ?? '')
  return (
    <span className="block truncate">
      <span className="text-ink-2">{states}</span>
      {event.reason ? <span className="ml-2 text-ink-3">“{event.reason}”</span> : null}
    </span>
  )
}

function ObjectOf({ event }: { event: AuditEventView }) {
  const words = useWords()
  const href = addressOf(event.resource)
  return (
    <span className="inline-flex items-center gap-1.5">
      <span className="text-sm text-ink-3">{words.type(event.resource.type)}</span>
      {href ? (
        <Link href={href} className="font-mono text-sm">
          <span data-paper={event.resource.id}>{short(event.resource.id)}</span>
        </Link>
      ) : (
        <Id value={event.resource.id} />
      )}
    </span>
  )
}

const short = (id: string) => (id.length > 20 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id)
