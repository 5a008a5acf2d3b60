import sql, { type Sql } from 'sql-template-tag'
import {
  ARTIFACT_TYPES,
  type ArtifactListInput,
  type ArtifactPage,
  type ArtifactStats,
} from '#contracts/artifact.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { requireAuthority } from '#server/ledger/authority-check.ts'
import { keyset, patternOf, whereAll } from '#server/ledger/list.ts'
import { type Listing, listPage, type TextSearch } from '#server/ledger/list-page.ts'
import type { Reads } from '#server/ledger/prisma.ts'
import { columns, type Row, rowsOf } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import {
  addedTagsOf,
  artifactView,
  type ConsoleEnv,
  forGuest,
  VIEWED,
  type ViewRow,
} from './artifact-view.ts'
import { artifactVisibility } from './artifact-visibility.ts'
import { removalsOf } from './removed-artifact.ts'

/** The order of the list. */
export const newestArtifacts = keyset(
  'artifact',
  'newest',
  { created_at: 'time', artifact_id: 'text' },
  'desc',
)

type Parts = Pick<Services, 'db' | 'garden' | 'reads'>

/** Each row that is looked into takes a look at its labels. */
const LABEL_STEPS = { first: 250, some: 3, further: 2_500 }
/** How many pages of the whole list are searched to fill one page of a guest. */
const GUEST_ROUNDS = 10
/** Of each type so many are counted; a guest's counts look at the newest so many. */
const COUNTED = 10_000

/** A page of artifacts, newest first; throws for a component that may not read them all. A guest's page holds what the zone shows and may be short before the end. */
export async function listArtifacts(
  services: Parts & { env: ConsoleEnv },
  input: ArtifactListInput,
  caller: Caller,
): Promise<ArtifactPage> {
  await requireAuthority(services.db, caller, 'artifact', 'read', { own: false })
  const { guest, visible } = await artifactVisibility(services, caller)
  // What a guest sees has neither agent nor job nor run, so none is found by them either.
  if (guest && (input.agent || input.job || input.run)) return { items: [], next_cursor: null }
  const shown: ViewRow[] = []
  let cursor = input.cursor
  let more = true
  for (let round = 0; more && shown.length < input.limit && round < GUEST_ROUNDS; round++) {
    const rows = await listPage<ViewRow>(services.db, artifactListing({ ...input, cursor }), input.limit)
    more = rows.length > input.limit
    const seen = await visible(rows.slice(0, input.limit))
    const room = input.limit - shown.length
    shown.push(...seen.slice(0, room))
    const last = seen.length > room ? shown.at(-1) : rows[Math.min(rows.length, input.limit) - 1]
    more ||= seen.length > room
    if (last) cursor = newestArtifacts.cursorOf(last)
  }
  const ids = shown.map((row) => row.artifact_id)
  const [tags, removals] = await Promise.all([addedTagsOf(services.reads, ids), removalsOf(services.db, ids)])
  const items = shown.map((row) => {
    const id = row.artifact_id
    return artifactView(row, services.env, { added: tags.get(id), removedAt: removals.get(id) })
  })
  return { items: guest ? items.map(forGuest) : items, next_cursor: more ? (cursor ?? null) : null }
}

export const artifactListing = (input: ArtifactListInput): Listing => ({
  columns: columns('artifact', 'o', VIEWED),
  from: sql`artifact o`,
  where: [...filterOf(input), newestArtifacts.after('o', input.cursor)],
  order: newestArtifacts.order('o'),
  search: searchOf(input),
  steps: LABEL_STEPS,
})

const filterOf = ({ type, agent, job, run, entity }: ArtifactListInput): Sql[] => [
  ...(type ? [sql`o.type = ${type}`] : []),
  ...(agent ? [sql`o.agent_slug = ${agent}`] : []),
  ...(job ? [sql`o.job_id = ${job}`] : []),
  ...(run ? [sql`o.run_id = ${run}`] : []),
  ...(entity ? [sql`o.entity_refs @> ARRAY[${entity}]`] : []),
]

/** Tags and words are those of the labels, so a tag counts whoever gave it. They are read row by row, as far as a page needs them. */
function searchOf({ tag, q }: ArtifactListInput): TextSearch | null {
  const text = q?.trim()
  if (!tag && !text) return null
  const labelled = (...conditions: (Sql | false | undefined)[]) =>
    sql`(SELECT count(*) > 0 FROM artifact_labels l ${whereAll(sql`l.artifact_id = o.artifact_id`, ...conditions)})`
  const tagged = tag !== undefined && sql`l.tags @> ARRAY[${tag}]`
  const has = (pattern: Sql) => sql`l.words ILIKE ${pattern}`
  const worded = (words: string | null | undefined) => Boolean(words) && has(sql`${patternOf(words ?? '')}`)
  // An expression, which no index has: the whole text is looked for in what its rarest word gives.
  const isMeant = sql`l.words || '' ILIKE ${patternOf(text ?? '')}`
  return {
    words: text ? text.split(/\s+/) : [],
    has: (pattern) => labelled(has(pattern)),
    holds: labelled(tagged, worded(text)),
    // Where no index narrows the text, the labels are read as a whole, and of the artifacts those alone that have them.
    indexed: (word) => [
      sql`o.artifact_id IN (SELECT l.artifact_id FROM artifact_labels l ${whereAll(tagged, worded(word ?? text), word !== null && isMeant)})`,
    ],
    decides: true,
  }
}

/** Artifacts by type, capped; a guest's counts are those of the zone. SQL: a cap inside each count, along `artifact_type`. */
export async function countArtifacts(services: Parts, caller: Caller): Promise<ArtifactStats> {
  await requireAuthority(services.db, caller, 'artifact', 'read', { own: false })
  const { guest, visible } = await artifactVisibility(services, caller)
  if (guest) return countVisible(services.reads, visible)
  const { rows } = await services.db.query<{ type: string; n: number }>(sql`SELECT t.type, c.n
    FROM unnest(${[...ARTIFACT_TYPES]}::text[]) AS t(type) CROSS JOIN LATERAL (SELECT count(*) AS n FROM (SELECT FROM artifact a
      WHERE a.type = t.type ORDER BY a.created_at DESC, a.artifact_id DESC LIMIT ${COUNTED}) newest) c WHERE c.n > 0`)
  return {
    total: rows.reduce((sum, { n }) => sum + n, 0),
    by_type: Object.fromEntries(rows.map(({ type, n }) => [type, n])),
    exact: rows.every(({ n }) => n < COUNTED),
  }
}

type Counted = Row<'artifact', 'type' | 'source_paths'>

async function countVisible(
  reads: Reads,
  visible: (rows: Counted[]) => Promise<Counted[]>,
): Promise<ArtifactStats> {
  const rows = await reads.artifact.findMany({
    select: { type: true, source_paths: true },
    orderBy: { created_at: 'desc' },
    take: COUNTED,
  })
  const seen = await visible(rowsOf('artifact', rows))
  const by_type: Record<string, number> = {}
  for (const { type } of seen) by_type[type] = (by_type[type] ?? 0) + 1
  return { total: seen.length, by_type, exact: rows.length < COUNTED }
}
