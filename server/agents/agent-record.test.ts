/** What the list says of an agent with a long history, and of one with a short one. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DECISIONS_COUNTED, RUNS_COUNTED } from '#domain/agent/agent.rules.ts'
import { listRows } from '#prisma/seed/scenarios/large-rows.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { openReads, type Reads } from '#server/ledger/prisma.ts'
import { listAgents } from './list-agents.query.ts'

const [SCOUT, NEWCOMER] = ['scout', 'newcomer']
const COUNT = RUNS_COUNTED + 200
/** Rows of the newcomer: two that were rejected, one that was applied, one that a successor took the place of, one that waits. */
const OF_NEWCOMER = { rejected: [3, 6], applied: [1], superseded: [9], pending: [500] }

let database: TestDatabase
let db: Database
let reads: Reads

beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase(database.adminUrl, { connections: 2, name: 'record' })
  reads = openReads(db)
  await db.transaction(async (tx) => {
    await tx.query(sql`SET LOCAL session_replication_role = replica`)
    await tx.query(sql`INSERT INTO agent (slug, name, version, model, definition, revision, sha256)
      SELECT slug, slug, '1', 'extractive', '{}', 'r', 'x' FROM unnest(${[SCOUT, NEWCOMER]}::text[]) slug`)
    for (const rows of listRows({ count: COUNT, agents: [SCOUT], revision: 'r' })) await tx.query(rows)
    const numbers = Object.values(OF_NEWCOMER).flat()
    await tx.query(
      sql`UPDATE proposal SET agent_slug = ${NEWCOMER} WHERE target_key = ANY(${numbers.map((n) => `n${n}`)}::text[])`,
    )
    await tx.query(sql`UPDATE run SET agent_slug = ${NEWCOMER}
      WHERE run_id IN (SELECT run_id FROM run ORDER BY requested_at DESC LIMIT ${numbers.length})`)
    await tx.query(sql`UPDATE proposal SET relations = '{"superseded_by": "x"}'
      WHERE target_key = ANY(${OF_NEWCOMER.superseded.map((n) => `n${n}`)}::text[])`)
  })
})
afterAll(async () => {
  await reads?.$disconnect()
  await db?.close()
  await database?.drop()
})

const records = async () => {
  const { items } = await listAgents({ db, reads, executors: { find: () => null } }, {})
  return new Map(items.map((item) => [item.slug, item]))
}

it('counts runs up to a cap, and of decisions the latest ones', async () => {
  const record = (await records()).get(SCOUT)
  const { rows } = await db.query<{
    n: number
  }>(sql`SELECT count(*) AS n FROM (SELECT git_commit FROM proposal
    WHERE agent_slug = ${SCOUT} AND decided_at IS NOT NULL ORDER BY decided_at DESC LIMIT ${DECISIONS_COUNTED}) latest WHERE git_commit IS NOT NULL`)
  expect(record).toMatchObject({
    runs_total: RUNS_COUNTED,
    runs_waiting: 0,
    proposals_decided: DECISIONS_COUNTED,
    proposals_approved: rows[0]?.n,
  })
  expect(record?.recent_runs).toHaveLength(5)
  expect(record?.last_run).toEqual(record?.recent_runs[0])
})

it('counts a short history exactly, without what waits and what a successor took the place of', async () => {
  expect((await records()).get(NEWCOMER)).toMatchObject({
    runs_total: 5,
    proposals_decided: 3,
    proposals_approved: 1,
  })
})

it('counts the runs that wait, of each agent its own', async () => {
  await db.transaction(async (tx) => {
    await tx.query(sql`SET LOCAL session_replication_role = replica`)
    await tx.query(sql`INSERT INTO run (run_id, agent_slug, requested_by, requested_at, queued_at)
      SELECT 'run_2026-11-22_00000' || n || '_00000' || n, ${SCOUT}, 'owner', now(), now() FROM generate_series(1, 2) n`)
  })
  const found = await records()
  expect([SCOUT, NEWCOMER].map((slug) => found.get(slug)?.runs_waiting)).toEqual([2, 0])
})
