import type { NoteScope } from '#contracts/note.contract.ts'
import { pathsInScope } from '#domain/zone/zone-scope.rules.ts'
import { tagsInTime } from '#server/garden/note-tags.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'

type Changes = {
  changes: readonly Pick<Row<'proposal', 'changes'>['changes'][number], 'path' | 'type'>[]
  base_revision: string
}

/**
 * Whether all the changes of a proposal lie in a zone ([zones#what-a-guest-sees]): every note as it is now and, in a zone of tags, as the
 * change was made of it, since the diff shows that text, too.
 */
export async function changesInScope(
  garden: Pick<GitRepository, 'read' | 'head'>,
  scope: NonNullable<NoteScope>,
  { changes, base_revision }: Changes,
): Promise<boolean> {
  const paths = changes.map(({ path }) => path)
  if (scope.tags.length === 0) return pathsInScope(scope, paths, () => [])
  const now = await tagsInTime(garden, paths, await garden.head())
  if (!pathsInScope(scope, paths, (path) => now.get(path) ?? [])) return false
  const changed = changes.filter(({ type }) => type !== 'create').map(({ path }) => path)
  if (changed.length === 0) return true
  const before = await tagsInTime(garden, changed, base_revision)
  return pathsInScope(scope, changed, (path) => before.get(path) ?? [])
}
