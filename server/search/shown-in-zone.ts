import type { ZoneScope } from '#domain/zone/zone-scope.rules.ts'
import { artifactsInScope } from '#server/artifacts/artifact-visibility.ts'
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
  const cited = rows.map((row) => ({ row, source_paths: row.paths ?? [] }))
  return (await artifactsInScope(parts.garden, scope, cited)).map(({ row }) => row)
}
