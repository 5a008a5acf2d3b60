import type { Caller } from '#domain/authority/caller.ts'
import { pathsInScope, type ZoneScope } from '#domain/zone/zone-scope.rules.ts'
import type { Services } from '#server/composition/services.ts'
import { tagsOfNotes } from '#server/garden/note-tags.ts'
import { zoneScopeOf } from '#server/zones/zone-scope.ts'

type Cited = { source_paths: string[] }

/**
 * Which artifacts this caller sees: all, or, for a guest, those whose sources all lie in the zone (page 09, section 4). Throws when the
 * zone has ended.
 */
export async function artifactSight(services: Pick<Services, 'db' | 'garden'>, caller: Caller) {
  const scope = await zoneScopeOf(services, caller)
  return {
    guest: scope !== null,
    seen: async <T extends Cited>(artifacts: T[]): Promise<T[]> =>
      scope ? inScope(services, scope, artifacts) : artifacts,
  }
}

async function inScope<T extends Cited>(
  services: Pick<Services, 'garden'>,
  scope: ZoneScope,
  artifacts: T[],
): Promise<T[]> {
  const paths = scope.tags.length > 0 ? [...new Set(artifacts.flatMap((a) => a.source_paths))] : []
  const tags = await tagsOfNotes(services.garden, paths)
  return artifacts.filter((a) => pathsInScope(scope, a.source_paths, (path) => tags.get(path) ?? []))
}
