import type { NoteScope } from '#contracts/note.contract.ts'
import { noteInScope } from '#domain/zone/zone-scope.rules.ts'
import { type GardenLinks, gardenLinks } from '#server/garden/note-links.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { type GardenIndex, type GardenNote, gardenAt } from '#server/retrieval/garden-index.ts'

export type VisibleNote = GardenNote & { title: string; tags: string[] }
export type VisibleGarden = {
  revision: string
  index: GardenIndex['index']
  links: GardenLinks
  /** Notes that the scope shows, in byte order of their paths. */
  notes: readonly VisibleNote[]
  find(path: string): VisibleNote | undefined
}

/** The garden at a commit as somebody with this scope sees it: notes outside it do not exist for the reader. */
export async function visibleGarden(
  garden: GitRepository,
  scope: NoteScope,
  revision?: string,
): Promise<VisibleGarden> {
  const whole = await gardenAt(garden, revision)
  const links = await gardenLinks(whole.notes)
  const named = whole.notes.map((note) => {
    const parsed = links.note(note.path)
    return { ...note, title: parsed?.title ?? note.path, tags: parsed?.tags ?? [] }
  })
  const notes = scope === null ? named : named.filter((n) => noteInScope(scope, n.path, n.tags))
  const byPath = new Map(notes.map((n) => [n.path, n]))
  return { revision: whole.revision, index: whole.index, links, notes, find: (path) => byPath.get(path) }
}
