import { gardenLinks } from '#server/garden/note-links.ts'
import type { NoteText } from '#server/ports/agent-executor.ts'

/** A title that a question names and that several notes have. */
export type SharedTitle = { title: string; paths: string[] }

const MIN_CHARS = 3
const bare = (text: string): string => text.normalize('NFC').toLowerCase().replace(/\s+/gu, ' ').trim()
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&')

/** The longest title named in the question that more than one of the notes has; null where every name is clear. Names in whole words alone count. */
export async function sharedTitle(question: string, notes: readonly NoteText[]): Promise<SharedTitle | null> {
  const garden = await gardenLinks(notes)
  const owners = new Map<string, SharedTitle>()
  for (const { path } of notes) {
    const title = garden.note(path)?.title?.trim() ?? ''
    if (title.length < MIN_CHARS) continue
    const known = owners.get(bare(title)) ?? { title, paths: [] }
    owners.set(bare(title), { ...known, paths: [...known.paths, path].sort() })
  }
  const asked = bare(question)
  const named = [...owners].filter(([name, { paths }]) => paths.length > 1 && names(asked, name))
  const [longest] = named.sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1))
  return longest?.[1] ?? null
}

const names = (question: string, title: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{N}])${escaped(title)}(?![\\p{L}\\p{N}])`, 'u').test(question)
