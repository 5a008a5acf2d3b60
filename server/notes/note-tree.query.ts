import type { NoteScope } from '#contracts/note.contract.ts'
import type { NoteTree } from '#contracts/note-tree.contract.ts'
import { treeLevels } from '#domain/garden/note-tree.rules.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { visibleGarden } from './visible-notes.ts'

/** Levels of the folder tree as the reader sees them, one for each of these folders, counted and named by the notes of the scope alone. */
export async function noteTree(
  garden: GitRepository,
  scope: NoteScope,
  asked: readonly string[],
): Promise<NoteTree> {
  const { revision, notes, reading } = await visibleGarden(garden, scope)
  return { revision, levels: treeLevels(notes, asked), reading }
}
