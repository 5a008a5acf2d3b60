'use client'
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { NoteLevel, NoteTree } from '#contracts/note-tree.contract.ts'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useHydrated } from '#lib/use-hydrated.ts'
import { useLiveGarden } from '#lib/use-live-garden.ts'
import { ErrorState } from '#ui/error-state.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { Tree } from '#ui/tree.tsx'
import type { TreeNode } from '#ui/tree-model.ts'
import { noteHref } from '../input.ts'
import { atMost, foldersAbove, keepOpenFolders, readOpenFolders } from '../open-folders.ts'

type Props = { path: string | null; onFollow?: () => void }

/** The folders and notes that the reader sees; those above the note are open, others as the reader left them. */
export function FolderTree(props: Props) {
  const t = useTranslations('notes')
  return useHydrated() ? <Opened {...props} /> : <Skeleton lines={12} label={t('tree')} />
}

function Opened({ path, onFollow }: Props) {
  const t = useTranslations('notes')
  const { open, asked, toggle } = useOpenFolders(path)
  const { tree, shown } = useTree(asked)
  const fault = tree.data ? null : tree.error
  if (!shown)
    return fault ? (
      <ErrorState error={fault} onRetry={() => tree.refetch()} />
    ) : (
      <Skeleton lines={12} label={t('tree')} />
    )
  const levels = new Map(shown.levels.map((level) => [level.folder, level]))
  const nodes = nodesOf('', levels, (n) => t('treeMore', { n }))
  if (nodes.length === 0) return <p className="px-2 text-sm text-ink-3">{t('treeEmpty')}</p>
  return (
    <>
      {fault ? <ErrorState error={fault} onRetry={() => tree.refetch()} keepsData /> : null}
      <Tree
        label={t('treeOf')}
        nodes={nodes}
        open={open}
        onToggle={toggle}
        current={path === null ? null : idOf(path)}
        {...(onFollow ? { onFollow } : {})}
      />
    </>
  )
}

/** What is open, and what is read: a folder that is closed again stays read, so that only one that was not there asks the server. */
function useOpenFolders(path: string | null) {
  const [open, setOpen] = useState(() => new Set(atMost([...readOpenFolders(), ...foldersAbove(path ?? '')])))
  const [asked, setAsked] = useState(open)
  const toggle = (ids: readonly string[], isOpen: boolean) => {
    const others = [...open].filter((id) => !ids.includes(id))
    const next = new Set(isOpen ? atMost([...others, ...ids]) : others)
    setOpen(next)
    if ([...next].some((id) => !asked.has(id)))
      setAsked(new Set(atMost([...[...asked].filter((id) => !next.has(id)), ...next])))
    keepOpenFolders([...next])
  }
  return { open, asked, toggle }
}

/** The garden and the folders that are asked for, in one request; what is on screen stays there while one more is read, or cannot be. */
function useTree(asked: ReadonlySet<string>) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  useLiveGarden(trpc.notes.tree.pathFilter())
  const tree = useQuery({
    ...trpc.notes.tree.queryOptions(
      { folder: ['', ...[...asked].sort()] },
      // Their names may be longer than an address.
      { trpc: { context: { longInput: true } } },
    ),
    // From one note to the next the folders stay as they are; the stream tells when they change.
    staleTime: POLL_MS.idle,
    refetchInterval: ({ state }) => (state.data?.reading ? POLL_MS.moving : false),
  })
  return { tree, shown: tree.data ?? latestTree(queries, trpc.notes.tree.pathKey()) }
}

/** What was read last, whatever was open. */
function latestTree(queries: QueryClient, queryKey: readonly unknown[]): NoteTree | undefined {
  const read = queries.getQueryCache().findAll({ queryKey })
  const [latest] = read.toSorted((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt)
  return latest?.state.data as NoteTree | undefined
}

/** Of a note; that of a folder is its path, and the two are never one. */
const idOf = (path: string): string => `note ${path}`

function nodesOf(
  folder: string,
  levels: ReadonlyMap<string, NoteLevel>,
  more: (n: number) => string,
): TreeNode[] {
  const level = levels.get(folder)
  if (!level) return []
  const list = (path: string) => `/notes?folder=${encodeURIComponent(path)}`
  return [
    ...level.folders.map(({ path, name, notes }) => ({
      id: path,
      label: name,
      href: list(path),
      count: notes,
      children: nodesOf(path, levels, more),
    })),
    ...level.notes.map(({ path, title }) => ({ id: idOf(path), label: title, href: noteHref(path) })),
    ...(level.more > 0
      ? [{ id: `more ${folder}`, label: more(level.more), href: folder ? list(folder) : '/notes' }]
      : []),
  ]
}
