import { pathsInScope, type ZoneScope } from '#domain/zone/zone-scope.rules.ts'
import { tagsInTime } from '#server/garden/note-tags.ts'
import { proposalsInScope } from '#server/proposals/proposals-in-scope.ts'
import type { Services } from '#server/services.ts'
import type { FoundRow } from './find-in-ledger.ts'
import type { LedgerKind } from './searched-kinds.ts'

type Rows = { kind: LedgerKind; rows: readonly FoundRow[] }

/** Those of these rows that a zone shows ([zones#what-a-guest-sees]): proposals whose changes, artifacts whose sources all lie in it. */
export async function shownInZone(
  parts: Pick<Services, 'db' | 'garden'>,
  scope: ZoneScope,
  { kind, rows }: Rows,
): Promise<FoundRow[]> {
  if (kind === 'proposal') {
    const shown = await proposalsInScope(
      parts,
      scope,
      rows.map(({ id }) => id),
    )
    return rows.filter(({ id }) => shown.has(id))
  }
  if (kind !== 'artifact') return []
  const pathsOf = ({ paths }: FoundRow) => paths ?? []
  // Folders are decided without reading a note.
  const folders = scope.folders.length > 0 ? { folders: scope.folders, tags: [] } : null
  const near = rows.filter((row) => !folders || pathsInScope(folders, pathsOf(row), () => []))
  if (scope.tags.length === 0) return near
  const tags = await tagsInTime(parts.garden, [...new Set(near.flatMap(pathsOf))])
  return near.filter((row) => pathsInScope(scope, pathsOf(row), (path) => tags.get(path) ?? []))
}
