import { processWide } from '#domain/kernel/process-wide.ts'
import { type NotesSoFar, readWhole } from './garden-reading.ts'
import { takingTurns } from './in-time.ts'
import type { LinkRef, ParsedNote } from './parsed-note.ts'
import type { NoteSource } from './read-note.ts'
import { linkResolver, linkSuggester, type Resolve } from './resolve-link.ts'

/**
 * How the notes of one revision hang together: each note as parsed, where its links lead, and who leads to it.
 *
 * Notes are parsed once for a text, and analysed once for a list, so pages at the same revision share the work.
 */
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

const analysed = processWide('garden-links', () => new WeakMap<readonly NoteSource[], Promise<GardenLinks>>())

/** Reads the garden's links once for a list of notes, which must not change afterwards; waits until all are parsed. */
export function gardenLinks(notes: readonly NoteSource[]): Promise<GardenLinks> {
  const known = analysed.get(notes)
  if (known) return known
  const made = analyse(notes)
  analysed.set(notes, made)
  made.catch(() => analysed.delete(notes))
  return made
}

/** The links of what is parsed so far, from notes that a page did not wait for. */
export const linksSoFar = (notes: readonly NoteSource[], soFar: NotesSoFar): Promise<GardenLinks> =>
  soFar.whole
    ? gardenLinks(notes)
    : analysis(new Map(notes.map(({ path }) => [path, soFar.note(path) as ParsedNote])))

async function analyse(notes: readonly NoteSource[]): Promise<GardenLinks> {
  const parsed = await readWhole(notes)
  return analysis(new Map(notes.map(({ path }) => [path, parsed.get(path) as ParsedNote])))
}

/** In the order of the notes, while others have their turn. Links are resolved again for who asks: kept, they would take the memory of all notes twice. */
async function analysis(byPath: ReadonlyMap<string, ParsedNote>): Promise<GardenLinks> {
  const paths = [...byPath.keys()]
  const named = [...byPath].map(([path, { title }]) => ({ path, title }))
  const resolve = linkResolver(named, paths)
  const incoming = new Map<string, Set<string>>()
  const turn = takingTurns()
  for (const [from, note] of byPath) {
    for (const link of note.links) {
      const path = resolve(from, link)
      if (path !== null && path !== from) incoming.set(path, (incoming.get(path) ?? new Set()).add(from))
    }
    await turn()
  }
  return {
    note: (path) => byPath.get(path),
    links: (path) => (byPath.get(path)?.links ?? []).map((link) => ({ ...link, path: resolve(path, link) })),
    backlinks: (path) => [...(incoming.get(path) ?? [])],
    resolve,
    suggest: linkSuggester(paths),
  }
}
