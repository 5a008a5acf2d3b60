import type { NoteScope } from '#contracts/note.contract.ts'
import type { NamedVersion } from '#domain/garden/note-version.rules.ts'
import type { GitRepository, Rename } from '#server/ports/git-repository.ts'
import { versionInScope } from './readable-version.ts'

/**
 * Whether the reader may be told where the note stood before: a guest only if the zone shows the path, and the text that it had there. From
 * anywhere else the note seems to have come new.
 */
export async function mayFollow(
  garden: GitRepository,
  scope: NoteScope,
  { path, revision }: Rename,
  until?: number,
): Promise<boolean> {
  return scope === null || versionInScope(garden, scope, { path, revision }, until)
}

/**
 * The path that the note had at a version, or null where the name of the version is none of this note's: every rename is looked up again, in its order,
 * so that no made-up name leads to a note that has left the zone.
 */
export async function pathAt(
  garden: GitRepository,
  scope: NoteScope,
  path: string,
  { revision, renames }: NamedVersion,
): Promise<string | null> {
  let at = { path, revision: await garden.head() }
  for (const by of renames) {
    if (!(await garden.isBehind(by, at.revision))) return null
    const rename = await garden.renamedFrom(at.path, by)
    if (!rename || !(await mayFollow(garden, scope, rename))) return null
    at = rename
  }
  return renames.length === 0 || (await garden.isBehind(revision, at.revision)) ? at.path : null
}
