/** One level of the folder tree: the folders and notes directly inside a folder, counted as the reader sees them. */
import type { NoteScope } from '#contracts/note.contract.ts'
import type { NoteTree } from '#contracts/note-tree.contract.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { type VisibleNote, visibleGarden } from './visible-notes.ts'

/** Notes of one folder that the tree names; the list has the rest. */
export const NAMED = 500

const byName = new Intl.Collator('uk', { numeric: true, sensitivity: 'base' }).compare

/** What lies directly in `folder` (the empty string is the garden itself). A folder without visible notes is empty, as one that is not there. */
export async function noteTree(garden: GitRepository, scope: NoteScope, folder: string): Promise<NoteTree> {
  const seen = await visibleGarden(garden, scope)
  const prefix = folder === '' ? '' : `${folder}/`
  const inside = seen.notes.filter(({ path }) => path.startsWith(prefix))
  const folders = new Map<string, number>()
  const notes: VisibleNote[] = []
  for (const note of inside) {
    const rest = note.path.slice(prefix.length)
    const slash = rest.indexOf('/')
    if (slash < 0) notes.push(note)
    else folders.set(rest.slice(0, slash), (folders.get(rest.slice(0, slash)) ?? 0) + 1)
  }
  return {
    revision: seen.revision,
    folders: [...folders]
      .sort(([a], [b]) => byName(a, b))
      .map(([name, count]) => ({ path: `${prefix}${name}`, name, notes: count })),
    notes: notes
      .sort((a, b) => byName(a.title, b.title) || (a.path < b.path ? -1 : 1))
      .slice(0, NAMED)
      .map(({ path, title }) => ({ path, title })),
    more: Math.max(0, notes.length - NAMED),
    reading: seen.reading,
  }
}
