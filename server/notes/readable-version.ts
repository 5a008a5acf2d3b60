import type { NoteScope } from '#contracts/note.contract.ts'
import { sameName } from '#domain/garden/garden-path.ts'
import { noteInScope } from '#domain/zone/zone-scope.rules.ts'
import { PATIENCE_MS } from '#server/garden/in-time.ts'
import { tagsInTime } from '#server/garden/note-tags.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { noteEntries } from '#server/retrieval/garden-notes.ts'

type Version = { path: string; revision: string }
type Asked = { path: string; revision?: string | undefined }

/**
 * The path of a note whose past the reader may ask for, or null: it stands in the garden now, the scope shows it now, and the revision, if one
 * is named, is a commit of the branch. A note that left the zone is out of it with its past ([notes#invariants]).
 */
export async function readableNote(
  garden: GitRepository,
  scope: NoteScope,
  { path, revision }: Asked,
): Promise<string | null> {
  if (revision !== undefined && !(await garden.isOnBranch(revision))) return null
  const head = await garden.head()
  const notes = await noteEntries(garden, head)
  const note = notes.find((n) => n.path === path) ?? notes.find((n) => sameName(n.path, path))
  if (!note) return null
  if (scope === null) return note.path
  return (await versionInScope(garden, scope, { path: note.path, revision: head })) ? note.path : null
}

/**
 * Whether the text of that version lay in the scope by its own tags: one from before a note came into the zone, or from while it was out of
 * it, is not there. A text that is not parsed in time goes by the tags that it states, which are never too many.
 */
export async function versionInScope(
  garden: GitRepository,
  scope: NonNullable<NoteScope>,
  { path, revision }: Version,
  until = performance.now() + PATIENCE_MS,
): Promise<boolean> {
  if (!(await garden.read(path, revision))) return false
  if (scope.tags.length === 0) return noteInScope(scope, path, [])
  return noteInScope(scope, path, (await tagsInTime(garden, [path], revision, until)).get(path) ?? [])
}
