import type { Caller } from '#domain/authority/caller.ts'
import { pathsInScope, type ZoneScope } from '#domain/zone/zone-scope.rules.ts'
import { tagsInTime } from '#server/garden/note-tags.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { zoneScopeOf } from '#server/zones/zone-scope.ts'

type Cited = Row<'artifact', 'source_paths'>

/**
 * Which artifacts this caller sees: all, or, for a guest, those whose sources all lie in the zone ([artifacts#reading]). Throws when the
 * zone has ended.
 */
export async function artifactVisibility(services: Pick<Services, 'db' | 'garden'>, caller: Caller) {
  const scope = await artifactScopeOf(services, caller)
  return {
    guest: scope !== null,
    visible: async <T extends Cited>(artifacts: T[]): Promise<T[]> =>
      scope ? inScope(services, scope, artifacts) : artifacts,
  }
}

/** The zone of a guest. Components have none: what they may read, the table of components has said before ([auth#components]). */
export const artifactScopeOf = async (
  services: Pick<Services, 'db'>,
  caller: Caller,
): Promise<ZoneScope | null> =>
  caller.role === 'service' || caller.role === 'agent' ? null : zoneScopeOf(services, caller)

async function inScope<T extends Cited>(
  services: Pick<Services, 'garden'>,
  scope: ZoneScope,
  artifacts: T[],
): Promise<T[]> {
  const paths = scope.tags.length > 0 ? [...new Set(artifacts.flatMap((a) => a.source_paths))] : []
  const tags = await tagsInTime(services.garden, paths)
  return artifacts.filter((a) => pathsInScope(scope, a.source_paths, (path) => tags.get(path) ?? []))
}
