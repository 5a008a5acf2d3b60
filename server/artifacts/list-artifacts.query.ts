/** The list of artifacts and their counts. Typed SQL: guests read it through their read-only role. */
import sql, { type Sql } from 'sql-template-tag'
import type { ArtifactListInput, ArtifactPage, ArtifactStats } from '#contracts/artifact.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import { keyset, like, whereAll } from '#server/ledger/list.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { artifactView, forGuest, VIEW_COLUMNS, type ViewRow } from './artifact-view.ts'
import { artifactVisibility } from './artifact-visibility.ts'

/** The order of the list. */
export const newestArtifacts = keyset(
  'artifact',
  'newest',
  { created_at: 'time', artifact_id: 'text' },
  'desc',
)

/** How many pages of the whole list are searched to fill one page of a guest. */
const GUEST_ROUNDS = 10
/** The newest artifacts that a guest's counts look at. */
const GUEST_COUNTED = 10_000

/** A page of artifacts, newest first. A guest's page holds what the zone shows and may be short before the end. */
export async function listArtifacts(
  services: Pick<Services, 'db' | 'garden'>,
  input: ArtifactListInput,
  caller: Caller,
): Promise<ArtifactPage> {
  const { guest, visible } = await artifactVisibility(services, caller)
  const filters = conditionsOf(input)
  const shown: ViewRow[] = []
  let cursor = input.cursor
  let more = true
  for (let round = 0; more && shown.length < input.limit && round < GUEST_ROUNDS; round++) {
    const rows = await pageAfter(services.db, filters, cursor, input.limit + 1)
    more = rows.length > input.limit
    const seen = await visible(rows.slice(0, input.limit))
    const room = input.limit - shown.length
    shown.push(...seen.slice(0, room))
    const last = seen.length > room ? shown.at(-1) : rows[Math.min(rows.length, input.limit) - 1]
    more ||= seen.length > room
    if (last) cursor = newestArtifacts.cursorOf(last)
  }
  const items = shown.map(artifactView)
  return { items: guest ? items.map(forGuest) : items, next_cursor: more ? (cursor ?? null) : null }
}

async function pageAfter(
  db: Db,
  filters: Sql[],
  cursor: string | undefined,
  limit: number,
): Promise<ViewRow[]> {
  const where = whereAll(...filters, newestArtifacts.after('a', cursor))
  const { rows } = await db.query<ViewRow>(sql`SELECT ${VIEW_COLUMNS} FROM artifact a
    ${where} ORDER BY ${newestArtifacts.order('a')} LIMIT ${limit}`)
  return rows
}

function conditionsOf(input: ArtifactListInput): Sql[] {
  const where: Sql[] = []
  if (input.type) where.push(sql`a.type = ${input.type}`)
  if (input.agent) where.push(sql`a.agent_slug = ${input.agent}`)
  if (input.job) where.push(sql`a.job_id = ${input.job}`)
  if (input.run) where.push(sql`a.run_id = ${input.run}`)
  if (input.tag) where.push(sql`${input.tag} = ANY(a.tags)`)
  if (input.entity) where.push(sql`${input.entity} = ANY(a.entity_refs)`)
  const q = like(input.q?.trim() ?? '')
  if (q) where.push(sql`a.title ILIKE ${`%${q}%`}`)
  return where
}

/** Artifacts by type; a guest's counts are those of the zone. */
export async function countArtifacts(
  services: Pick<Services, 'db' | 'garden'>,
  caller: Caller,
): Promise<ArtifactStats> {
  const { guest, visible } = await artifactVisibility(services, caller)
  if (guest) return countVisible(services.db, visible)
  const { rows } = await services.db.query<Row<'artifact', 'type'> & { n: number }>(
    sql`SELECT type, count(*) AS n FROM artifact GROUP BY type`,
  )
  return {
    total: rows.reduce((sum, r) => sum + r.n, 0),
    by_type: Object.fromEntries(rows.map((r) => [r.type, r.n])),
  }
}

type Counted = Row<'artifact', 'type' | 'source_paths'>

async function countVisible(
  db: Db,
  visible: (rows: Counted[]) => Promise<Counted[]>,
): Promise<ArtifactStats> {
  const { rows } = await db.query<Counted>(
    sql`SELECT type, source_paths FROM artifact ORDER BY created_at DESC LIMIT ${GUEST_COUNTED}`,
  )
  const seen = await visible(rows)
  const by_type: Record<string, number> = {}
  for (const { type } of seen) by_type[type] = (by_type[type] ?? 0) + 1
  return { total: seen.length, by_type }
}
