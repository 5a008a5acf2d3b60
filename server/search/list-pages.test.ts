/** A page that was found in steps is the page of the list: random texts and filters against one plain statement, over all pages of each list. */
import fc from 'fast-check'
import sql, { type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { artifactListInput } from '#contracts/artifact.contract.ts'
import { inboxFilter } from '#contracts/inbox.contract.ts'
import { jobListInput } from '#contracts/job.contract.ts'
import { proposalFilter } from '#contracts/proposal.contract.ts'
import { runListInput } from '#contracts/run.contract.ts'
import { jobRows, listRows } from '#prisma/seed/scenarios/large-rows.ts'
import { artifactListing, newestArtifacts } from '#server/artifacts/list-artifacts.query.ts'
import { entryListing, newestEntries } from '#server/inbox/list-entries.query.ts'
import { jobListing, newestJobs } from '#server/jobs/list-jobs.query.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { like } from '#server/ledger/list.ts'
import { type Listing, listPage } from '#server/ledger/list-page.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { PROPOSAL_ORDERS, proposalListing } from '#server/proposals/list-proposals.query.ts'
import { newestRuns, runListing } from '#server/runs/list-runs.query.ts'

const COUNT = 400
const STEPS = { first: 9, some: 2, further: 60 }
const TEXTS = ['Leek', 'leek soup', 'кабачок', '100%', 'a_b', 'zz', 'Rhubarb', 'in', 'C:\\x', 'ї']
const AGENTS = ['scout', 'archivist', 'gardener']

let database: TestDatabase
let db: Database

const word = (of: number): Sql => sql`(${TEXTS}::text[])[1 + (n * ${of}::int + n / 7) % ${TEXTS.length}::int]`
/** Texts of row n of a table, whose number stands in this column. */
const renamed = (table: Sql, numbered: Sql, set: Sql): Sql =>
  sql`UPDATE ${table} SET ${set} FROM (SELECT ${numbered} AS numbered, substring(${numbered} from '[0-9]+')::int AS n FROM ${table}) t WHERE ${table}.${numbered} = t.numbered`

beforeAll(async () => {
  database = await createTestDatabase()
  await onLedger(database.adminUrl, (admin) =>
    admin.transaction(async (tx) => {
      await tx.query(sql`SET LOCAL session_replication_role = replica`)
      const size = { count: COUNT, agents: AGENTS, revision: 'r' }
      for (const rows of [...listRows(size), jobRows(size)]) await tx.query(rows)
      await tx.query(renamed(sql`job`, sql`title`, sql`title = ${word(3)} || ' ' || n || ' ' || ${word(7)}`))
      await tx.query(
        renamed(
          sql`proposal`,
          sql`summary`,
          sql`summary = ${word(3)} || ' ' || n, target_path = ${word(7)} || '/' || n`,
        ),
      )
      await tx.query(
        renamed(
          sql`inbox_entry`,
          sql`target`,
          sql`target = ${word(9)} || '/' || n, payload = jsonb_build_object('summary', ${word(3)})`,
        ),
      )
      await tx.query(
        renamed(
          sql`run`,
          sql`question`,
          sql`params = jsonb_build_object('question', ${word(3)} || n), summary = nullif(${word(7)}, 'in')`,
        ),
      )
      await tx.query(sql`UPDATE run SET status = 'queued', finished_at = NULL WHERE question LIKE '%7'`)
      await tx.query(sql`UPDATE artifact_labels l SET tags = ARRAY[t.tag], words = t.title || t.tag
        FROM (SELECT artifact_id, title, (${TEXTS}::text[])[1 + bytes % 2 + substring(title from '[0-9]+')::int % 4] AS tag FROM artifact) t WHERE t.artifact_id = l.artifact_id`)
    }),
  )
  db = openDatabase(database.webUrl)
})
afterAll(async () => {
  await db?.close()
  await database?.drop()
})

type Filter = { q?: string; agent?: string; status?: string; tag?: string }
type Kind = {
  listing: (filter: Filter & { cursor?: string | undefined; limit: number }) => Listing
  /** Cuts a page, and the ids of its rows. */
  page: (rows: never[], limit: number) => { ids: string[]; next: string | null }
  /** The ids of all rows of the list, in its order. */
  plain: (filter: Filter) => Sql
  filters: fc.Arbitrary<Filter>
}
const has = (column: Sql, q = '') => sql`${column} ILIKE ${`%${like(q.trim())}%`}`
const among = <T extends string>(...names: T[]) => fc.option(fc.constantFrom(...names), { nil: undefined })
const agent = among(...AGENTS)
const optional = (column: Sql, value: string | undefined) => (value ? sql`${column} = ${value}` : sql`true`)

const KINDS: Record<string, (texts: fc.Arbitrary<string>) => Kind> = {
  jobs: (q) => ({
    listing: (filter) => jobListing(jobListInput.parse(filter)),
    page: (rows, limit) => {
      const page = newestJobs.page(rows as { created_at: Date; job_id: string }[], limit)
      return { ids: page.rows.map((row) => row.job_id), next: page.next_cursor }
    },
    plain: (
      f,
    ) => sql`SELECT job_id AS id FROM job WHERE (${has(sql`title`, f.q)} OR length(${f.q}) >= 4 AND job_id::text LIKE ${`${like(f.q ?? '')}%`})
      AND ${optional(sql`agent_slug`, f.agent)} AND ${optional(sql`status`, f.status)} ORDER BY created_at DESC, job_id DESC`,
    filters: fc.record({ q, agent, status: among('COMPLETE', 'QUEUED', 'DEAD') }) as fc.Arbitrary<Filter>,
  }),
  runs: (q) => ({
    listing: (filter) => runListing(runListInput.parse(filter)),
    page: (rows, limit) => {
      const page = newestRuns.page(rows as { requested_at: Date; run_id: string }[], limit)
      return { ids: page.rows.map((row) => row.run_id), next: page.next_cursor }
    },
    plain: (
      f,
    ) => sql`SELECT run_id AS id FROM run WHERE (${has(sql`question`, f.q)} OR ${has(sql`summary`, f.q)} OR run_id LIKE ${`${like((f.q ?? '').trim())}%`})
      AND ${optional(sql`agent_slug`, f.agent)} AND ${optional(sql`status`, f.status)} ORDER BY requested_at DESC, run_id DESC`,
    filters: fc.record({ q, agent, status: among('completed', 'queued') }) as fc.Arbitrary<Filter>,
  }),
  inbox: (q) => ({
    listing: (filter) => entryListing(inboxFilter.parse(filter)),
    page: (rows, limit) => {
      const page = newestEntries.page(rows as { received_at: Date; inbox_id: string }[], limit)
      return { ids: page.rows.map((row) => row.inbox_id), next: page.next_cursor }
    },
    plain: (
      f,
    ) => sql`SELECT inbox_id AS id FROM inbox_entry WHERE (${has(sql`target`, f.q)} OR ${has(sql`summary`, f.q)} OR inbox_id = ${(f.q ?? '').trim()})
      AND ${optional(sql`status`, f.status)} AND status <> 'expired' ORDER BY received_at DESC, inbox_id DESC`,
    filters: fc.record({ q, status: among('processed', 'pending') }) as fc.Arbitrary<Filter>,
  }),
  proposals: (q) => ({
    listing: (filter) => proposalListing(proposalFilter.parse(filter)),
    page: (rows, limit) => {
      const page = PROPOSAL_ORDERS.newest.page(rows as { created_at: Date; proposal_id: string }[], limit)
      return { ids: page.rows.map((row) => row.proposal_id), next: page.next_cursor }
    },
    plain: (
      f,
    ) => sql`SELECT proposal_id AS id FROM proposal WHERE (${has(sql`summary`, f.q)} OR ${has(sql`target_path`, f.q)} OR proposal_id = ${(f.q ?? '').trim()})
      AND ${optional(sql`agent_slug`, f.agent)} AND ${optional(sql`status`, f.status)} AND archived_at IS NULL ORDER BY created_at DESC, proposal_id DESC`,
    filters: fc.record({ q, agent, status: among('APPLIED', 'REJECTED') }) as fc.Arbitrary<Filter>,
  }),
  artifacts: (q) => ({
    listing: (filter) => artifactListing(artifactListInput.parse(filter)),
    page: (rows, limit) => {
      const page = newestArtifacts.page(rows as { created_at: Date; artifact_id: string }[], limit)
      return { ids: page.rows.map((row) => row.artifact_id), next: page.next_cursor }
    },
    plain: (
      f,
    ) => sql`SELECT a.artifact_id AS id FROM artifact a JOIN artifact_labels l ON l.artifact_id = a.artifact_id
      WHERE ${has(sql`l.words`, f.q)} AND ${f.tag ? sql`${f.tag} = ANY(l.tags)` : sql`true`} AND ${optional(sql`a.agent_slug`, f.agent)}
      ORDER BY a.created_at DESC, a.artifact_id DESC`,
    filters: fc.record({ q, agent, tag: among('zz', 'in', 'none') }) as fc.Arbitrary<Filter>,
  }),
}

/** The ids of all pages of a list. */
async function walk({ listing, page }: Kind, filter: Filter, limit: number): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const rows = await listPage<object>(db, listing({ ...filter, limit, cursor }), limit, STEPS)
    const shown = page(rows as never[], limit)
    ids.push(...shown.ids)
    cursor = shown.next ?? undefined
  } while (cursor)
  return ids
}

const text = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.constantFrom(
    'LEEK',
    'soup',
    'of the',
    'ee',
    'e',
    ' 7',
    '39',
    'КАБ',
    '0%',
    '_',
    '\\',
    'k 1',
    'nothing',
    'zz 9',
  ),
  fc.nat(COUNT).map(String),
)

describe('a page that was found in steps is the page of the list', () => {
  it.each(Object.entries(KINDS))('%s', async (_, kindOf) => {
    const { rows: ids } = await db.query<{ id: string }>(kindOf(text).plain({ q: '' }))
    const some = fc.constantFrom(...ids.map(({ id }) => id))
    const anId = some.chain((id) => fc.integer({ min: 3, max: id.length }).map((end) => id.slice(0, end)))
    const kind = kindOf(fc.oneof({ arbitrary: text, weight: 4 }, anId))
    await fc.assert(
      fc.asyncProperty(kind.filters, fc.integer({ min: 5, max: 60 }), async (filter, limit) => {
        const { rows } = await db.query<{ id: string }>(kind.plain(filter))
        expect(await walk(kind, filter, limit)).toEqual(rows.map(({ id }) => id))
      }),
      { numRuns: 60, seed: 20_261_128 },
    )
  })
})
