import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { pathsInScope, type ZoneScope } from '#domain/zone/zone-scope.rules.ts'
import type { SealedEvent } from '#server/ledger/seal.ts'
import type { Services } from '#server/services.ts'
import { zoneScopeOf } from '#server/zones/zone-scope.ts'

/** The tags of notes by path at the garden's head; unknown paths have none. */
export type TagsOf = (paths: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>
type Parts = Pick<Services, 'db'>

/**
 * Those of these events that the caller may see: all for owner and operator; for a guest proposals and artifacts that lie entirely in
 * the zone ([stream#guests]), without the correlation id that leads to who did it.
 */
export async function visibleEvents(
  services: Parts,
  caller: Caller,
  events: readonly SealedEvent[],
  tagsOf: TagsOf,
): Promise<readonly SealedEvent[]> {
  const scope = await zoneScopeOf(services, caller)
  if (scope === null) return events
  const of = (type: string) =>
    events.filter((event) => event.resource_type === type).map((event) => event.resource_id)
  const [proposals, artifacts] = [of('proposal'), of('artifact')]
  if (proposals.length + artifacts.length === 0) return []
  const paths = await pathsOf(services, proposals, artifacts)
  const seen = await inScope(scope, paths, tagsOf)
  return events
    .filter((event) => seen.has(event.resource_id))
    .map((event) => ({ ...event, correlation_id: null }))
}

async function pathsOf(
  services: Parts,
  proposals: string[],
  artifacts: string[],
): Promise<Map<string, string[]>> {
  const { rows } = await services.db.query<{ id: string; paths: string[] }>(sql`
    SELECT p.proposal_id AS id, array(SELECT c->>'path' FROM jsonb_array_elements(p.changes) c) AS paths
      FROM proposal p WHERE p.proposal_id = ANY(${proposals}::text[])
    UNION ALL
    SELECT a.artifact_id, a.source_paths FROM artifact a WHERE a.artifact_id = ANY(${artifacts}::text[])`)
  return new Map(rows.map((row) => [row.id, row.paths]))
}

async function inScope(scope: ZoneScope, paths: Map<string, string[]>, tagsOf: TagsOf): Promise<Set<string>> {
  const all = [...new Set([...paths.values()].flat())]
  const tags = scope.tags.length > 0 ? await tagsOf(all) : new Map<string, readonly string[]>()
  const inside = [...paths].filter(([, own]) => pathsInScope(scope, own, (path) => tags.get(path) ?? []))
  return new Set(inside.map(([id]) => id))
}
