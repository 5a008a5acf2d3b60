import sql, { join, type Sql } from 'sql-template-tag'
import type { ArtifactListInput, ArtifactPage } from '#contracts/artifact.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import type { Services } from '#server/composition/services.ts'
import type { Db } from '#server/ledger/database.ts'
import { cursorToPlace, type Place, placeToCursor } from '#server/ledger/keyset.ts'
import { artifactView, forGuest, VIEW_COLUMNS, type ViewRow } from './artifact-view.ts'
import { artifactSight } from './zone-sight.ts'

/** How many pages of the whole list one page of a guest's may look through. */
const GUEST_ROUNDS = 10

/** A page of artifacts, newest first, by keyset. A guest's page holds what the zone shows and may be short before the end. */
export async function listArtifacts(
  services: Pick<Services, 'db' | 'garden'>,
  input: ArtifactListInput,
  caller: Caller,
): Promise<ArtifactPage> {
  const sight = await artifactSight(services, caller)
  const filters = filterConditions(input)
  const shown: ViewRow[] = []
  let place = cursorToPlace(input.cursor, PATTERNS.artifact)
  let more = true
  for (let round = 0; more && shown.length < input.limit && round < GUEST_ROUNDS; round++) {
    const rows = await pageAfter(services.db, filters, place, input.limit + 1)
    more = rows.length > input.limit
    const seen = await sight.seen(rows.slice(0, input.limit))
    const room = input.limit - shown.length
    shown.push(...seen.slice(0, room))
    const last = seen.length > room ? shown.at(-1) : rows[Math.min(rows.length, input.limit) - 1]
    more ||= seen.length > room
    if (last) place = { at: last.created_at, id: last.artifact_id }
  }
  const items = shown.map(artifactView)
  return {
    items: sight.guest ? items.map(forGuest) : items,
    next_cursor: more && place ? placeToCursor(place) : null,
  }
}

async function pageAfter(db: Db, filters: Sql[], place: Place | null, limit: number): Promise<ViewRow[]> {
  const where = place
    ? [...filters, sql`(a.created_at, a.artifact_id) < (${place.at}, ${place.id})`]
    : filters
  const { rows } = await db.query<ViewRow>(sql`SELECT ${VIEW_COLUMNS} FROM artifact a
    ${where.length > 0 ? sql`WHERE ${join(where, ' AND ')}` : sql``} ORDER BY a.created_at DESC, a.artifact_id DESC LIMIT ${limit}`)
  return rows
}

function filterConditions(input: ArtifactListInput): Sql[] {
  const where: Sql[] = []
  if (input.type) where.push(sql`a.type = ${input.type}`)
  if (input.agent) where.push(sql`a.agent_slug = ${input.agent}`)
  if (input.job) where.push(sql`a.job_id = ${input.job}`)
  if (input.run) where.push(sql`a.run_id = ${input.run}`)
  if (input.tag) where.push(sql`${input.tag} = ANY(a.tags)`)
  if (input.entity) where.push(sql`${input.entity} = ANY(a.entity_refs)`)
  const q = input.q?.trim().replaceAll('\0', '')
  if (q) where.push(sql`a.title ILIKE ${`%${q.replaceAll(/[\\%_]/g, '\\$&')}%`}`)
  return where
}
