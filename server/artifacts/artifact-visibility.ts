import type { ArtifactSource } from '#contracts/research.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { pathsInScope, type ZoneScope } from '#domain/zone/zone-scope.rules.ts'
import { tagsInTime } from '#server/garden/note-tags.ts'
import type { Row } from '#server/ledger/rows.ts'
import { fewAtOnce } from '#server/retrieval/few-at-once.ts'
import type { Services } from '#server/services.ts'
import { zoneScopeOf } from '#server/zones/zone-scope.ts'

type Cited = Row<'artifact', 'source_paths'>
type Quoted = Pick<ArtifactSource, 'ref' | 'revision'>
type Garden = Pick<Services['garden'], 'list' | 'read' | 'isOnBranch'>

/**
 * Which artifacts this caller sees: all, or, for a guest, those whose sources all lie in the zone ([artifacts#reading]); and whether the quotes of
 * one, which its document alone knows, may be read. Throws when the zone has ended.
 */
export async function artifactVisibility(services: Pick<Services, 'db' | 'garden'>, caller: Caller) {
  const scope = await artifactScopeOf(services, caller)
  return {
    guest: scope !== null,
    visible: async <T extends Cited>(artifacts: T[]): Promise<T[]> =>
      scope ? artifactsInScope(services.garden, scope, artifacts) : artifacts,
    quotable: async (sources: readonly Quoted[]): Promise<boolean> =>
      scope === null || quotesInScope(services.garden, scope, sources),
  }
}

/** The zone of a guest. Components have none: what they may read, the table of components has said before ([auth#components]). */
export const artifactScopeOf = async (
  services: Pick<Services, 'db'>,
  caller: Caller,
): Promise<ZoneScope | null> =>
  caller.role === 'service' || caller.role === 'agent' ? null : zoneScopeOf(services, caller)

/**
 * Those whose sources all lie in the zone now. What is not in the garden any more is in no zone: a note that left it is out of it with what was
 * quoted of it ([notes#invariants]).
 */
export async function artifactsInScope<T extends Cited>(
  garden: Garden,
  scope: ZoneScope,
  artifacts: readonly T[],
): Promise<T[]> {
  // Folders are decided without reading a note.
  const folders = scope.folders.length > 0 ? { folders: scope.folders, tags: [] } : null
  const near = artifacts.filter((a) => !folders || pathsInScope(folders, a.source_paths, () => []))
  if (near.length === 0) return []
  const paths = [...new Set(near.flatMap((a) => a.source_paths))]
  const there = scope.tags.length > 0 ? await tagsInTime(garden, paths) : await namesOnly(garden)
  return near.filter(
    ({ source_paths }) =>
      source_paths.every((path) => there.has(path)) &&
      pathsInScope(scope, source_paths, (path) => there.get(path) ?? []),
  )
}

const namesOnly = async (garden: Garden): Promise<Map<string, readonly string[]>> =>
  new Map((await garden.list()).map(({ path }) => [path, []]))

/**
 * Whether all that is quoted lay in the zone when it was quoted: in the garden at the cited revision, in the zone's folders by the paths, which are looked
 * at above, and in a zone of tags by what each note said then. A text that a job brought is in no revision, whatever name it came under.
 */
async function quotesInScope(garden: Garden, scope: ZoneScope, sources: readonly Quoted[]): Promise<boolean> {
  const byRevision = Map.groupBy(sources, ({ revision }) => revision)
  const shown = await fewAtOnce([...byRevision], async ([revision, quoted]) => {
    if (!(await garden.isOnBranch(revision))) return false
    const paths = [...new Set(quoted.map(({ ref }) => ref))]
    if (!(await areThere(garden, paths, revision))) return false
    const tags: ReadonlyMap<string, readonly string[]> =
      scope.tags.length > 0 ? await tagsInTime(garden, paths, revision) : new Map()
    return pathsInScope(scope, paths, (path) => tags.get(path) ?? [])
  })
  return !shown.includes(false)
}

async function areThere(garden: Garden, paths: readonly string[], revision: string): Promise<boolean> {
  const files = await fewAtOnce(paths, (path) => garden.read(path, revision))
  return !files.includes(null)
}
