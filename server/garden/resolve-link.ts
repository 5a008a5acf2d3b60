import { fileKey, foldName } from '#domain/garden/garden-path.ts'
import type { LinkRef } from './parsed-note.ts'

/**
 * Which file a link means, as people who write gardens expect it.
 *
 * A Markdown link is a path from its note's folder, or from the root with a slash before it. A wiki link is a path likewise
 * when it begins with a dot; else a path from the root, a path from its note's folder, the end of a path, a file name, or at last
 * a title; `.md` may be left out, letter case does not count. Among several the one nearest to the note wins: same folder, fewest
 * folders, order. The console, the agents' tools and zones all follow links by this.
 */
export type Named = { path: string; title: string }
export type Resolve = (from: string, link: Pick<LinkRef, 'kind' | 'target'>) => string | null

const key = (text: string): string => foldName(text.replace(/\.md$/i, ''))
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** The path that `target` leads to from a folder; null when it leaves the garden. */
export function joinPath(folder: string, target: string): string | null {
  const parts: string[] = []
  for (const part of `${target.startsWith('/') ? '' : folder}${target}`.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return null
    } else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/').normalize('NFC')
}

/** Of files whose names look alike those whose name is the one that is meant, if any is. */
function spelledSo(found: readonly string[], target: string): readonly string[] {
  if (found.length < 2) return found
  const end = `/${fileKey(target.replace(/\.md$/i, ''))}`
  const same = found.filter((path) => `/${fileKey(path.replace(/\.md$/i, ''))}`.endsWith(end))
  return same.length > 0 ? same : found
}

function nearest(from: string, found: readonly string[]): string | null {
  const folder = folderOf(from)
  const rank = (path: string) => [folderOf(path) === folder ? 0 : 1, path.split('/').length] as const
  const [best] = [...found].sort((a, b) => {
    const [x, y] = [rank(a), rank(b)]
    return x[0] - y[0] || x[1] - y[1] || (a < b ? -1 : 1)
  })
  return best ?? null
}

/** Makes the resolver of one revision. `files` are all paths of the garden, `notes` those with a title. */
export function linkResolver(notes: readonly Named[], files: readonly string[]): Resolve {
  const byPath = Map.groupBy(files, key)
  const byName = Map.groupBy(files, (path) => key(path.slice(folderOf(path).length)))
  const byTitle = Map.groupBy(notes, (note) => foldName(note.title))
  const folders = new Set(files.flatMap((path) => ancestors(path)))

  const atPath = (from: string, path: string | null): string | null => {
    if (path === null) return null
    const alike = byPath.get(key(path)) ?? []
    return nearest(from, spelledSo(alike, path)) ?? (folders.has(foldName(path)) ? path : null)
  }
  const byEnd = (from: string, target: string): string | null => {
    const end = `/${key(target)}`
    const name = key(target.slice(folderOf(target).length))
    const alike = (byName.get(name) ?? []).filter((path) => `/${key(path)}`.endsWith(end))
    return nearest(from, spelledSo(alike, target))
  }
  return (from, { kind, target }) => {
    if (target === '') return from
    if (kind === 'markdown' || target.startsWith('.')) return atPath(from, joinPath(folderOf(from), target))
    const titled = () =>
      nearest(
        from,
        (byTitle.get(foldName(target)) ?? []).map((note) => note.path),
      )
    const fromRoot = atPath(from, joinPath('', target))
    return fromRoot ?? atPath(from, joinPath(folderOf(from), target)) ?? byEnd(from, target) ?? titled()
  }
}

function ancestors(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, i) => foldName(parts.slice(0, i + 1).join('/')))
}

/** The note that a broken link may have meant: the one at the end of its target, or the only one with its name; else null. */
export function linkSuggester(paths: readonly string[]): (target: string) => string | null {
  const byPath = new Map(paths.map((path) => [key(path), path]))
  const byName = Map.groupBy(paths, (path) => key(path.slice(folderOf(path).length)))
  return (target) => {
    const parts = target.split('/').filter((part) => !['', '.', '..'].includes(part))
    const ends = parts.map((_, i) => byPath.get(key(parts.slice(i).join('/'))))
    const named = byName.get(key(parts.at(-1) ?? '')) ?? []
    return ends.find((path) => path !== undefined) ?? (named.length === 1 ? (named[0] ?? null) : null)
  }
}
