'use client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { NoteRow } from '#contracts/note.contract.ts'
import { ProposeNote } from '#features/inbox/index.ts'
import { SavedViews } from '#features/views/index.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useFilters } from '#lib/url-state.ts'
import { useInfiniteRows } from '#lib/use-infinite-rows.ts'
import { useLiveGarden } from '#lib/use-live-garden.ts'
import { Button } from '#ui/button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { FilterBar } from '#ui/filter-bar.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { hitHref } from '../arrival.ts'
import { NOTE_FILTERS, notesInput } from '../input.ts'
import { LeftOut } from './left-out.tsx'
import { NotesFrame } from './notes-frame.tsx'
import { Passages } from './passages.tsx'

/** The notes of the garden, or those of the zone: by folder and tag, found by their words. */
export function NotesPage({ folders = true }: { folders?: boolean }) {
  return (
    <NotesFrame path={null} folders={folders}>
      <NoteList />
    </NotesFrame>
  )
}

function NoteList() {
  const t = useTranslations('notes')
  const trpc = useTRPC()
  const guest = useSession().role === 'guest'
  const filters = useFilters(NOTE_FILTERS)
  const list = useInfiniteQuery({
    ...trpc.notes.list.infiniteQueryOptions(notesInput(filters.values), CURSOR_PAGES),
    refetchInterval: ({ state }) => (state.data?.pages.some((p) => p.reading) ? POLL_MS.live : false),
  })
  useLiveGarden(trpc.notes.list.pathFilter())
  const shown = useInfiniteRows(list)
  const first = list.data?.pages[0]
  const columns = useNoteColumns(Boolean(filters.values.q))
  const { folder } = filters.values
  const isNowhere = Boolean(
    folder && first && !first.reading && !first.folders.some(({ path }) => path === folder),
  )
  const counted = filters.active ? 'matching' : guest ? 'sentenceZone' : 'sentence'
  return (
    <Page>
      <PageHeader
        title={t('title')}
        sentence={[
          first ? t(counted, { total: first.total }) : t('loading'),
          ...(first?.reading ? [t('reading')] : []),
        ].join('. ')}
        action={guest ? null : <ProposeNote />}
      />
      <FilterBar
        filters={filters}
        specs={[
          { kind: 'search', key: 'q', label: t('search') },
          {
            kind: 'select',
            key: 'folder',
            label: t('folder'),
            options: [
              { value: '', label: t('allFolders') },
              ...(first?.folders ?? []).map((f) => ({
                value: f.path,
                label: `${'  '.repeat(f.depth)}${f.name} (${f.notes})`,
              })),
              ...(isNowhere && folder ? [{ value: folder, label: `${folder} (0)` }] : []),
            ],
          },
          {
            kind: 'select',
            key: 'tag',
            label: t('tag'),
            options: [
              { value: '', label: t('allTags') },
              ...(first?.tags ?? []).map((x) => ({ value: x.tag, label: `${x.tag} (${x.notes})` })),
            ],
          },
        ]}
      >
        <SavedViews list="notes" filters={filters} />
      </FilterBar>
      {guest ? null : <LeftOut />}
      <DataTable
        label={t('title')}
        columns={columns}
        {...shown}
        rowId={(n) => n.path}
        rowName={(n) => n.title}
        href={(n) => hitHref(n.path, n.hit)}
        scope={filters.scope}
        filtered={filters.active && !isNowhere}
        onClearFilters={filters.clear}
        empty={
          isNowhere ? (
            <EmptyState
              title={t('noFolder', { folder: folder ?? '' })}
              action={<Button onClick={filters.clear}>{t('showAll')}</Button>}
            >
              {t(guest ? 'noFolderZone' : 'noFolderHint')}
            </EmptyState>
          ) : (
            <EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>
          )
        }
      />
    </Page>
  )
}

function useNoteColumns(isSearch: boolean) {
  const t = useTranslations('notes')
  return useMemo(
    () =>
      columnsOf<NoteRow>([
        {
          id: 'title',
          header: t('note'),
          width: isSearch ? 'w-1/3 max-w-0' : 'w-full max-w-0',
          card: 'title',
          cell: (n) => <Title note={n} hasFolder={isSearch} />,
        },
        ...(isSearch
          ? [
              {
                id: 'passages',
                header: t('passages'),
                width: 'w-2/3 max-w-0',
                card: 'line' as const,
                cell: (n: NoteRow) => <Passages note={n} />,
              },
            ]
          : [
              {
                id: 'folder',
                header: t('folder'),
                cell: (n: NoteRow) => (
                  <span className="block max-w-64 truncate font-mono text-sm text-ink-3">{n.folder}</span>
                ),
              },
              {
                id: 'tags',
                header: t('tags'),
                cell: (n: NoteRow) => (
                  <span className="block max-w-56 truncate text-sm text-ink-2">{n.tags.join(', ')}</span>
                ),
              },
            ]),
      ]),
    [t, isSearch],
  )
}

function Title({ note, hasFolder }: { note: NoteRow; hasFolder: boolean }) {
  return (
    <span className="block min-w-0 py-0.5">
      <span className="block truncate">{note.title}</span>
      {hasFolder ? <span className="block truncate font-mono text-sm text-ink-3">{note.folder}</span> : null}
    </span>
  )
}
