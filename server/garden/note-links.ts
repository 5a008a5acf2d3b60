import { foldName, isMarkdown, noteName } from '#domain/garden/garden-path.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import { type LinkRef, type ParsedNote, parseNote } from './parse-note.ts'
import { linkResolver, type Resolve } from './resolve-link.ts'
import { ENTRANCE, type Mention, mentionsIn, namesOf } from './unlinked-mentions.ts'

/**
 * How the notes of one revision hang together: links and backlinks, links that lead nowhere, notes nobody leads to, and
 * names of notes that stand in a text without being a link. Pure in what it is given, so it is the same at every replay.
 */
export type NoteSource = { path: string; text: string; sha256?: string }
export type ResolvedLink = LinkRef & { path: string | null }
export type BrokenLink = LinkRef & { from: string; suggestions: string[] }
export type Orphan = { path: string; title: string; outgoing: number }
export type GardenLinks = {
  /** Note, title, headings, tags and links by path. */
  note(path: string): ParsedNote | undefined
  links(path: string): ResolvedLink[]
  /** Paths of the notes that lead here, in their order. */
  backlinks(path: string): string[]
  broken(): BrokenLink[]
  orphans(): Orphan[]
  /** The first mention of each other note that the note does not lead to yet. */
  mentions(path: string): Mention[]
}

const parsed = new Map<string, ParsedNote>()
const MAX_PARSED = 5_000

function remembered(note: NoteSource): ParsedNote {
  const key = `${note.sha256 ?? sha256Hex(note.text)} ${note.path}`
  const known = parsed.get(key)
  if (known) return known
  if (parsed.size >= MAX_PARSED) parsed.clear()
  const fresh = parseNote(note.path, note.text)
  parsed.set(key, fresh)
  return fresh
}

const analysed = new WeakMap<readonly NoteSource[], GardenLinks>()

/** Reads the garden's links once for a list of notes. `files`: every path that a link may lead to (default: the notes). */
export function gardenLinks(notes: readonly NoteSource[], files?: readonly string[]): GardenLinks {
  const known = analysed.get(notes)
  if (known) return known
  const made = analyse(notes, files ?? notes.map((note) => note.path))
  analysed.set(notes, made)
  return made
}

function analyse(notes: readonly NoteSource[], files: readonly string[]): GardenLinks {
  const byPath = new Map(notes.map((note) => [note.path, remembered(note)]))
  const named = [...byPath].map(([path, { title }]) => ({ path, title }))
  const resolve = linkResolver(named, files)
  const links = new Map(
    [...byPath].map(([path, note]) => [
      path,
      note.links.map((link) => ({ ...link, path: resolve(path, link) })),
    ]),
  )
  const incoming = new Map<string, Set<string>>()
  for (const [from, list] of links) {
    for (const { path } of list) {
      if (path !== null && path !== from) incoming.set(path, (incoming.get(path) ?? new Set()).add(from))
    }
  }
  const names = namesOf(named)
  return {
    note: (path) => byPath.get(path),
    links: (path) => links.get(path) ?? [],
    backlinks: (path) => [...(incoming.get(path) ?? [])],
    broken: () => [...links].flatMap(([from, list]) => brokenOf(from, list, named)),
    orphans: () => named.filter(({ path }) => isOrphan(path, incoming)).map((note) => orphan(note, links)),
    mentions: (path) => {
      const note = byPath.get(path)
      const linked = new Set((links.get(path) ?? []).map((link) => link.path))
      const all = note ? [...mentionsIn(note.prose, names), ...fileMentions(path, note, resolve)] : []
      const wanted = all.filter((one) => one.path !== path && !linked.has(one.path) && byPath.has(one.path))
      const first = [
        ...Map.groupBy(
          wanted.sort((a, b) => a.offset - b.offset),
          (one) => one.path,
        ).values(),
      ]
      return first.flatMap(([mention]) => mention ?? [])
    },
  }
}

/** File names standing as code are mentions too, where they lead to a note. */
function fileMentions(from: string, note: ParsedNote, resolve: Resolve): Mention[] {
  return note.fileNames.flatMap(({ text, raw, line, offset }): Mention[] => {
    const path = resolve(from, { kind: 'wiki', target: text })
    if (path === null || ENTRANCE.test(noteName(path))) return []
    const short = resolve(from, { kind: 'wiki', target: noteName(path) }) === path
    return [
      { path, line, offset, text: raw, link: `[[${short ? noteName(path) : path.replace(/\.md$/i, '')}]]` },
    ]
  })
}

const isOrphan = (path: string, incoming: Map<string, Set<string>>): boolean =>
  isMarkdown(path) && !incoming.has(path) && !ENTRANCE.test(noteName(path))

const orphan = (
  { path, title }: { path: string; title: string },
  links: Map<string, ResolvedLink[]>,
): Orphan => ({
  path,
  title,
  outgoing: new Set((links.get(path) ?? []).flatMap((link) => link.path ?? [])).size,
})

function brokenOf(
  from: string,
  links: ResolvedLink[],
  named: { path: string; title: string }[],
): BrokenLink[] {
  return links
    .filter((link) => link.path === null)
    .map(({ path: _, ...link }) => ({ ...link, from, suggestions: suggestionsFor(link.target, named) }))
}

const words = (text: string): string[] => foldName(text).match(/[\p{L}\p{N}]+/gu) ?? []

/** Up to three notes whose names share most with a target that leads nowhere, best first. */
function suggestionsFor(target: string, named: { path: string; title: string }[]): string[] {
  const wanted = noteName(target)
  const scored = named.map(({ path, title }) => ({
    path,
    score: Math.max(likeness(wanted, noteName(path)), likeness(wanted, title)),
  }))
  return scored
    .filter(({ score }) => score >= 0.6)
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
    .slice(0, 3)
    .map(({ path }) => path)
}

/** Likeness of two names from 0 to 1: the share of common words, or of common pairs of letters. */
function likeness(a: string, b: string): number {
  const pairs = (text: string) => {
    const joined = words(text).join(' ')
    return new Set(Array.from({ length: Math.max(0, joined.length - 1) }, (_, i) => joined.slice(i, i + 2)))
  }
  return Math.max(dice(new Set(words(a)), new Set(words(b))), dice(pairs(a), pairs(b)))
}

function dice(a: Set<string>, b: Set<string>): number {
  const common = [...a].filter((one) => b.has(one)).length
  return a.size + b.size === 0 ? 0 : (2 * common) / (a.size + b.size)
}
