import { MOST_FOLDERS } from '#domain/garden/note-tree.rules.ts'
import { keepIn, readFrom } from '#lib/kept.ts'

/** The folders that are open in the tree, kept for this browser. */
const KEY = 'notes.folders'
/** More open folders are closed, the oldest first: all of them are one read, beside the garden itself. */
const MOST = MOST_FOLDERS - 1

export function readOpenFolders(): string[] {
  const kept = readFrom<unknown>('local', KEY)
  return Array.isArray(kept) ? atMost(kept.filter((path) => typeof path === 'string')) : []
}

export const keepOpenFolders = (paths: readonly string[]): void => keepIn('local', KEY, paths)

/** Those that were opened last. */
export const atMost = (paths: Iterable<string>): string[] => [...new Set(paths)].slice(-MOST)

/** The folders that a note lies in, from the garden down. */
export function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'))
}
