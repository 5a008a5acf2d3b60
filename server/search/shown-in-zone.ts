import { pathsInScope, type ZoneScope } from '#domain/zone/zone-scope.rules.ts'
import { tagsInTime } from '#server/garden/note-tags.ts'
import { changesOf } from '#server/proposals/proposal-view.ts'
import type { Services } from '#server/services.ts'
import type { FoundRow } from './find-in-ledger.ts'
import type { LedgerKind } from './searched-kinds.ts'

type Rows = { kind: LedgerKind; rows: readonly FoundRow[] }

/** Those of these rows that a zone shows ([zones#what-a-guest-sees]): all the paths of their changes, or of their sources, lie in it. */
export async function shownInZone(
  { db, garden }: Pick<Services, 'db' | 'garden'>,
  scope: ZoneScope,
  { kind, rows }: Rows,
): Promise<FoundRow[]> {
  if (kind !== 'proposal' && kind !== 'artifact') return []
  const ids = rows.map(({ id }) => id)
  const changes = kind === 'proposal' ? await changesOf(db, ids) : null
  const pathsOf = ({ id, paths }: FoundRow) =>
    (changes ? changes.get(id)?.map(({ path }) => path) : paths) ?? []
  // Folders are decided without reading a note.
  const folders = scope.folders.length > 0 ? { folders: scope.folders, tags: [] } : null
  const near = rows.filter((row) => !folders || pathsInScope(folders, pathsOf(row), () => []))
  if (scope.tags.length === 0) return near
  const paths = [...new Set(near.flatMap(pathsOf))]
  const tags = await tagsInTime(garden, paths, await garden.head())
  return near.filter((row) => pathsInScope(scope, pathsOf(row), (path) => tags.get(path) ?? []))
}
