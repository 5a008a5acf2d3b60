import { sha256Hex } from '#server/ports/object-store.ts'
import { type LinkRef, type ParsedNote, parseNote } from './parse-note.ts'
import { linkResolver, linkSuggester, type Resolve } from './resolve-link.ts'

/**
 * How the notes of one revision hang together: each note as parsed, where its links lead, and who leads to it.
 *
 * Notes are parsed once for a text and path, and analysed once for a list, so pages at the same revision share the work.
 */
export type NoteSource = { path: string; text: string; sha256?: string }
export type ResolvedLink = LinkRef & { path: string | null }
export type GardenLinks = {
  /** Title, headings, tags and links of a note. */
  note(path: string): ParsedNote | undefined
  /** Links with the path they lead to; `null` leads nowhere. */
  links(path: string): ResolvedLink[]
  /** Paths of the other notes that lead here, in their order. */
  backlinks(path: string): string[]
  /** Where a link of a note leads that need not stand in it. */
  resolve: Resolve
  /** The note that a broken link may have meant. */
  suggest(target: string): string | null
}

const parsed = new Map<string, ParsedNote>()
const MAX_PARSED = 5_000

/** The note as parsed, kept for its text and path: whoever reads the same revision shares the work. */
export function parsedNote(note: NoteSource): ParsedNote {
  const key = `${note.sha256 ?? sha256Hex(note.text)} ${note.path}`
  const known = parsed.get(key)
  if (known) return known
  if (parsed.size >= MAX_PARSED) parsed.clear()
  const fresh = parseNote(note.path, note.text)
  parsed.set(key, fresh)
  return fresh
}

const analysed = new WeakMap<readonly NoteSource[], GardenLinks>()

/** Reads the garden's links once for a list of notes, which must not change afterwards. */
export function gardenLinks(notes: readonly NoteSource[]): GardenLinks {
  const known = analysed.get(notes)
  if (known) return known
  const made = analyse(notes)
  analysed.set(notes, made)
  return made
}

/** As `gardenLinks`, parsing note by note between which other work of the process goes on. */
export async function gardenLinksInSlices(notes: readonly NoteSource[]): Promise<GardenLinks> {
  for (const note of notes) {
    parsedNote(note)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return gardenLinks(notes)
}

function analyse(notes: readonly NoteSource[]): GardenLinks {
  const byPath = new Map(notes.map((note) => [note.path, parsedNote(note)]))
  const named = [...byPath].map(([path, { title }]) => ({ path, title }))
  const resolve = linkResolver(
    named,
    notes.map((note) => note.path),
  )
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
  return {
    note: (path) => byPath.get(path),
    links: (path) => links.get(path) ?? [],
    backlinks: (path) => [...(incoming.get(path) ?? [])],
    resolve,
    suggest: linkSuggester(notes.map((note) => note.path)),
  }
}
