import { keepIn, readFrom } from '#lib/kept.ts'

/** The folders that are open in the tree, kept for this browser. */
const KEY = 'notes.folders'
/** More open folders are forgotten, the oldest first: each is a read, of which a guest has few. */
const MOST = 12

export function readOpenFolders(): string[] {
  const kept = readFrom<unknown>('local', KEY)
  return Array.isArray(kept) ? kept.filter((path) => typeof path === 'string').slice(-MOST) : []
}

export const keepOpenFolders = (paths: readonly string[]): void => keepIn('local', KEY, paths.slice(-MOST))

/** The folders that a note lies in, from the garden down. */
export function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'))
}
