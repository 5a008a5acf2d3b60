/** The plans of every list on 20 000 rows each, of which the planner believes that they are a million. */
import { rm } from 'node:fs/promises'
import sql, { type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { jobRows, listRows } from '#prisma/seed/scenarios/large-rows.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { openReads } from '#server/ledger/prisma.ts'
import { openWatched, type WatchedDatabase } from '#server/ledger/testing/executed-plans.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { type Kit, makeGarden, openKit } from '#server/proposals/testing/garden-kit.ts'
import { plansOfLists } from './testing/list-plans.ts'
import { listViews } from './testing/list-views.ts'

const COUNT = 20_000
const BELIEVED = 1_000_000
/** Sealed events, as many as rows. */
const EVENTS: readonly Sql[] = [
  sql`INSERT INTO event (name, actor, actor_role, resource_type, resource_id, ts, event_id, body)
    SELECT 'job.status.update', 'worker', 'service', 'job', 'j' || n, now() - n * interval '7 seconds', 'evt_' || n, '{}' FROM generate_series(1, ${COUNT}::int) n`,
  sql`INSERT INTO event_seal (seq, event, prev_hash, hash) SELECT id, id, '\\x', '\\x' FROM event ON CONFLICT DO NOTHING`,
  sql`UPDATE event_head SET (seq, low) = (SELECT max(id), max(id) FROM event)`,
]

let database: TestDatabase
let kit: Kit
let watched: WatchedDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  kit = await openKit(await makeGarden({ 'Leeks.md': '# Leeks\n' }), database)
  await onLedger(database.adminUrl, async (admin) => {
    await admin.transaction(async (tx) => {
      await tx.query(sql`SET LOCAL session_replication_role = replica`)
      const agents = Array.from({ length: 16 }, (_, n) => `agent-${String(n).padStart(4, '0')}`)
      await tx.query(sql`INSERT INTO agent (slug, status, name, version, model, definition, revision, sha256)
        SELECT slug, 'active', slug, '1', 'extractive', '{}', 'r', 'x' FROM unnest(${agents}::text[]) slug`)
      const size = { count: COUNT, agents, revision: await kit.services.garden.head() }
      for (const rows of [...listRows(size), jobRows(size), ...EVENTS]) await tx.query(rows)
    })
    await admin.query(sql`VACUUM ANALYZE`)
    // Rows a page are what the planner reckons with.
    await admin.query(sql`SELECT pg_restore_relation_stats('schemaname', 'public', 'relname', relname::text, 'relpages', relpages,
      'reltuples', (${BELIEVED}::real / ${COUNT}::real * reltuples)::real, 'relallvisible', relpages) FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND reltuples >= ${COUNT}`)
  })
  watched = openWatched(database.adminUrl)
})
afterAll(async () => {
  await watched?.close()
  await kit?.close()
  await rm(kit.folder, { recursive: true })
  await database?.drop()
})

it('reads no table as a whole, and of none more than a page needs', async () => {
  const reads = openReads(watched)
  try {
    const views = await listViews({ db: watched, reads, garden: kit.services.garden }, COUNT)
    const plans = await plansOfLists(watched, views)
    expect(plans.filter(({ faults }) => faults.length > 0)).toEqual([])
    // A view whose statements are not seen would never be at fault.
    const unseen = plans.filter(({ scans }) => scans.length === 0).map(({ name }) => name)
    expect(unseen).toEqual([])
  } finally {
    await reads.$disconnect()
  }
})
