'use client'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { NoteTree } from '#contracts/note-tree.contract.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useHydrated } from '#lib/use-hydrated.ts'
import { ErrorState } from '#ui/error-state.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { Tree } from '#ui/tree.tsx'
import type { TreeNode } from '#ui/tree-model.ts'
import { noteHref } from '../input.ts'
import { foldersAbove, keepOpenFolders, readOpenFolders } from '../open-folders.ts'

type Props = { path: string | null; onFollow?: () => void }

/** The folders and notes that the reader sees; those above the note are open, others as the reader left them. */
export function FolderTree(props: Props) {
  const t = useTranslations('notes')
  return useHydrated() ? <Opened {...props} /> : <Skeleton lines={12} label={t('tree')} />
}

function Opened({ path, onFollow }: Props) {
  const t = useTranslations('notes')
  const [open, setOpen] = useState(() => new Set([...readOpenFolders(), ...foldersAbove(path ?? '')]))
  const levels = useLevels(open)
  const toggle = (ids: readonly string[], isOpen: boolean) => {
    const next = new Set([...open].filter((id) => !ids.includes(id)))
    if (isOpen) for (const id of ids) next.add(id)
    setOpen(next)
    keepOpenFolders([...next])
  }
  const top = levels.of('')
  if (levels.error) return <ErrorState error={levels.error} onRetry={levels.retry} />
  if (!top) return <Skeleton lines={12} label={t('tree')} />
  const more = (n: number) => t('treeMore', { n })
  const nodes = nodesOf('', levels.of, more)
  if (nodes.length === 0) return <p className="px-2 text-sm text-ink-3">{t('treeEmpty')}</p>
  return (
    <Tree
      label={t('treeOf')}
      nodes={nodes}
      open={open}
      onToggle={toggle}
      current={path === null ? null : idOf(path)}
      {...(onFollow ? { onFollow } : {})}
    />
  )
}

/** Every open folder is a query of its own; those that are asked at once travel together. */
function useLevels(open: ReadonlySet<string>) {
  const trpc = useTRPC()
  useLiveQueries(['proposal.status.changed'], trpc.notes.tree.pathFilter(), POLL_MS.slow)
  const folders = ['', ...open]
  const queries = useQueries({
    queries: folders.map((folder) => ({
      // From one note to the next the folders stay as they are; the stream tells when they change.
      ...trpc.notes.tree.queryOptions({ folder }, { staleTime: POLL_MS.idle }),
      refetchInterval: ({ state }: { state: { data?: NoteTree | undefined } }) =>
        state.data?.reading ? POLL_MS.moving : false,
    })),
  })
  const [top] = queries
  const byFolder = new Map(folders.map((folder, i) => [folder, queries[i]?.data]))
  // The first picture is whole, so that nothing moves while the folders that were open arrive.
  const [isWhole, setIsWhole] = useState(false)
  if (!isWhole && queries.every((query) => query.isFetched)) setIsWhole(true)
  return {
    of: (folder: string) => (isWhole ? byFolder.get(folder) : undefined),
    error: top?.data ? null : top?.error,
    retry: () => void top?.refetch(),
  }
}

/** Of a note; that of a folder is its path, and the two are never one. */
const idOf = (path: string): string => `note ${path}`

function nodesOf(
  folder: string,
  levelOf: (folder: string) => NoteTree | undefined,
  more: (n: number) => string,
): TreeNode[] {
  const level = levelOf(folder)
  if (!level) return []
  const list = (path: string) => `/notes?folder=${encodeURIComponent(path)}`
  return [
    ...level.folders.map(({ path, name, notes }) => ({
      id: path,
      label: name,
      href: list(path),
      count: notes,
      children: nodesOf(path, levelOf, more),
    })),
    ...level.notes.map(({ path, title }) => ({ id: idOf(path), label: title, href: noteHref(path) })),
    ...(level.more > 0
      ? [{ id: `more ${folder}`, label: more(level.more), href: folder ? list(folder) : '/notes' }]
      : []),
  ]
}
