import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { EVENT_NAMES } from '#domain/event/event-names.ts'
import { noteInScope, type ZoneScope } from '#domain/zone/zone-scope.rules.ts'
import { artifactsInScope } from '#server/artifacts/artifact-visibility.ts'
import type { SealedEvent } from '#server/ledger/seal.ts'
import { proposalsInScope } from '#server/proposals/proposals-in-scope.ts'
import type { Services } from '#server/services.ts'
import { zoneScopeOf } from '#server/zones/zone-scope.ts'

/** The tags of notes by path at the garden's head; unknown paths have none. */
export type TagsOf = (paths: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>
type Parts = Pick<Services, 'db' | 'garden'>

/**
 * Those of these events that the caller may see: all for owner and operator; for a guest proposals and artifacts that lie entirely in
 * the zone ([stream#guests]) with what their diffs show, without the correlation id that leads to who did it, and that a commit changed
 * notes of the zone.
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
  const { whole, part } = await inScope(scope, paths, tagsOf)
  const inside = (ids: readonly string[]) => [...new Set(ids.filter((id) => whole.has(id)))]
  const hidden = new Set([
    ...(await hiddenDiffs(services, scope, inside(proposals))),
    ...(await withoutSource(services, scope, { ids: inside(artifacts), paths })),
  ])
  return events.flatMap((event) => {
    if (whole.has(event.resource_id) && !hidden.has(event.resource_id))
      return [{ ...event, correlation_id: null }]
    return event.name === APPLIED && part.has(event.resource_id) ? [{ ...event, ...NAMELESS }] : []
  })
}

const APPLIED = EVENT_NAMES.proposal.applied
/** A commit that changed notes of the zone and others: the guest's page reads again, and learns of no proposal. */
const NAMELESS = {
  resource_type: 'note',
  resource_id: 'zone',
  from_status: null,
  to_status: null,
  correlation_id: null,
}

/** Proposals whose paths lie in the zone, and whose notes have left it or whose diffs show what they said while they did not lie in it. */
async function hiddenDiffs(services: Parts, scope: ZoneScope, ids: readonly string[]): Promise<string[]> {
  const shown = await proposalsInScope(services, scope, ids)
  return ids.filter((id) => !shown.has(id))
}

type Artifacts = { ids: readonly string[]; paths: ReadonlyMap<string, string[]> }

/** Artifacts whose sources all had their paths in the zone, and of which one is not there any more. */
async function withoutSource({ garden }: Parts, scope: ZoneScope, { ids, paths }: Artifacts) {
  const cited = ids.map((id) => ({ id, source_paths: paths.get(id) ?? [] }))
  const shown = new Set((await artifactsInScope(garden, scope, cited)).map(({ id }) => id))
  return ids.filter((id) => !shown.has(id))
}

async function pathsOf(
  services: Pick<Parts, 'db'>,
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

type InScope = { whole: ReadonlySet<string>; part: ReadonlySet<string> }

/** Of which objects all paths lie in the scope, and of which some. */
async function inScope(scope: ZoneScope, paths: Map<string, string[]>, tagsOf: TagsOf): Promise<InScope> {
  const all = [...new Set([...paths.values()].flat())]
  const tags = scope.tags.length > 0 ? await tagsOf(all) : new Map<string, readonly string[]>()
  const isIn = (path: string) => noteInScope(scope, path, tags.get(path) ?? [])
  const inside = (test: (own: string[]) => boolean) =>
    new Set([...paths].filter(([, own]) => own.length > 0 && test(own)).map(([id]) => id))
  return { whole: inside((own) => own.every(isIn)), part: inside((own) => own.some(isIn)) }
}
