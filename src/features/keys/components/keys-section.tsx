'use client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { KeyView } from '#contracts/key.contract.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useInfiniteRows } from '#lib/use-infinite-rows.ts'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { Id } from '#ui/id.tsx'
import { Section } from '#ui/section.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { KEY_STYLES } from '../status.ts'
import { CreateKey } from './create-key.tsx'
import { KeyActions } from './key-actions.tsx'

/** The keys of machines: whose, until when, when last used; for the owner also create, rotate and revoke. */
export function KeysSection() {
  const t = useTranslations('keys')
  return (
    <Section title={t('title')} hint={t('hint')} actions={<CreateKey />}>
      <KeyTable of={ALL} empty={<EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>} />
    </Section>
  )
}
const ALL = {}

/** The keys of one node, those that have ended too. */
export function NodeKeys({ node, empty }: { node: string; empty: ReactNode }) {
  const of = useMemo(() => ({ node_id: node }), [node])
  return <KeyTable of={of} empty={empty} />
}

function KeyTable({ of, empty }: { of: { node_id?: string }; empty: ReactNode }) {
  const t = useTranslations('keys')
  const trpc = useTRPC()
  // That a key was used moves without an event, so the list is also asked for now and then.
  const list = useInfiniteQuery(
    trpc.keys.list.infiniteQueryOptions(of, { ...CURSOR_PAGES, refetchInterval: POLL_MS.idle }),
  )
  useLiveQueries(['key.changed'], trpc.keys.pathFilter(), POLL_MS.slow)
  const shown = useInfiniteRows(list)
  return (
    <DataTable
      label={t('title')}
      columns={useKeyColumns()}
      {...shown}
      rowId={(k) => k.key_id}
      rowName={(k) => k.name}
      scope={`keys ${list.dataUpdatedAt}`}
      keyboard={false}
      empty={empty}
    />
  )
}

function useKeyColumns() {
  const t = useTranslations('keys')
  return useMemo(
    () =>
      columnsOf<KeyView>([
        {
          id: 'name',
          header: t('name'),
          width: 'w-full max-w-0',
          card: 'title',
          cell: (k) => <Name of={k} />,
        },
        { id: 'kind', header: t('kind'), cell: (k) => t(`kinds.${k.kind}`) },
        {
          id: 'status',
          header: t('status'),
          cell: (k) => <StatusBadge {...KEY_STYLES[k.status]}>{t(`state.${k.status}`)}</StatusBadge>,
        },
        { id: 'id', header: t('keyId'), card: 'fact', cell: (k) => <Id value={k.key_id} /> },
        {
          id: 'created',
          header: t('created'),
          card: 'fact',
          cell: (k) => <RelativeTime at={k.created_at} className="text-ink-2" />,
        },
        { id: 'expires', header: t('expires'), cell: (k) => <Ends of={k} /> },
        { id: 'used', header: t('lastUsed'), card: 'fact', cell: (k) => <Time at={k.last_used_at} /> },
        {
          id: 'actions',
          header: '',
          name: t('actions'),
          align: 'end',
          card: 'corner',
          cell: (k) => <KeyActions of={k} />,
        },
      ]),
    [t],
  )
}

/** When a key ends, or when it did; a phone shows no header that would say which. */
function Ends({ of }: { of: KeyView }) {
  const t = useTranslations('keys')
  return (
    <>
      <span className="text-ink-3 md:hidden">{t(of.status === 'active' ? 'expires' : 'ended')} </span>
      <Time at={of.revoked_at ?? of.expires_at} />
    </>
  )
}

function Time({ at }: { at: string | null }) {
  const t = useTranslations('keys')
  return at ? (
    <RelativeTime at={at} className="text-ink-2" />
  ) : (
    <span className="text-ink-3">{t('never')}</span>
  )
}

function Name({ of }: { of: KeyView }) {
  return (
    <span className="block min-w-0 py-(--row-pad)">
      <span className={`block truncate ${of.status === 'active' ? 'font-medium' : 'text-ink-2'}`}>
        {of.name}
      </span>
      <span className="block truncate font-mono text-sm text-ink-3">{of.node_id}</span>
    </span>
  )
}
