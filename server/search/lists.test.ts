/** The lists of jobs and runs, searched by a part of their words: what they find, and along which indexes. */
import sql, { type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jobListInput } from '#contracts/job.contract.ts'
import { runListInput } from '#contracts/run.contract.ts'
import { jobRows, listRows } from '#prisma/seed/scenarios/large-rows.ts'
import { testEnv } from '#server/http/testing/gateway.ts'
import { listJobs } from '#server/jobs/list-jobs.query.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { openReads, type Reads } from '#server/ledger/prisma.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { plansOf } from '#server/ledger/testing/plans-of.ts'
import { OWNER } from '#server/proposals/testing/garden-kit.ts'
import { listRuns } from '#server/runs/list-runs.query.ts'

const COUNT = 20_000

let database: TestDatabase
let db: Database
let reads: Reads

beforeAll(async () => {
  database = await createTestDatabase()
  await onLedger(database.adminUrl, async (admin) => {
    await admin.transaction(async (tx) => {
      await tx.query(sql`SET LOCAL session_replication_role = replica`)
      const size = { count: COUNT, agents: ['orphan-scout'], revision: 'r' }
      for (const rows of [...listRows(size), jobRows(size)]) await tx.query(rows)
      await tx.query(
        sql`UPDATE run SET status = 'queued', finished_at = NULL WHERE question LIKE 'Question 15001 %'`,
      )
      await tx.query(sql`UPDATE run SET summary = 'Saffron is rare.' WHERE question LIKE 'Question 15002 %'`)
    })
    await admin.query(sql`VACUUM ANALYZE`)
  })
  db = openDatabase(database.webUrl)
  reads = openReads(db)
})
afterAll(async () => {
  await reads?.$disconnect()
  await db?.close()
  await database?.drop()
})

const jobs = async (input: object) => {
  const services = { db, reads, env: testEnv(database.webUrl) }
  const { items } = await listJobs(services, jobListInput.parse(input), OWNER)
  return items.map(({ title }) => title)
}
const runs = async (input: object) => {
  const { items } = await listRuns({ db, reads }, runListInput.parse(input))
  // An id of these rows has the number of its row in it.
  return items.map(({ run_id }) => Number(run_id.split('_')[2]))
}
const titled = (...numbers: number[]) => numbers.map((n) => `Question ${n} of the garden`)
const idOf = async (statement: Sql) => (await db.query<{ id: string }>(statement)).rows[0]?.id ?? ''

describe('jobs', () => {
  // Row 15 000 is dead, 15 001 queued, 15 003 complete.
  test.each<[string, object, number[]]>([
    ['one that is complete', { q: 'question 15003' }, [15_003]],
    ['one that is dead', { q: '15000 OF' }, [15_000]],
    ['one that is queued', { q: 'question 15001' }, [15_001]],
    ['with a state', { q: 'n 1500', status: 'DEAD' }, [1_500, 15_000]],
    ['none', { q: 'saffron' }, []],
  ])('%s', async (_, input, found) => {
    expect(await jobs(input)).toEqual(titled(...found))
    const plans = await plansOf(db, () => jobs(input))
    expect(plans.join('\n')).toContain('Bitmap Index Scan on job_words')
    expect(plans.join('\n')).not.toMatch(/Seq Scan on job /)
  })

  test('by the beginning of an id', async () => {
    const id = await idOf(sql`SELECT job_id::text AS id FROM job WHERE title LIKE 'Question 15003 %'`)
    expect(await jobs({ q: id.slice(0, 13) })).toEqual(titled(15_003))
    const plans = await plansOf(db, () => jobs({ q: id.slice(0, 13) }))
    expect(plans.join('\n')).toMatch(/Index Scan (using|on) job_pkey/)
  })

  test('a word of every job ends the list with its page', async () => {
    const [plan, ...others] = await plansOf(db, () => jobs({ q: 'garden' }))
    expect(plan).toContain('Index Scan using job_created')
    expect(others.join('\n')).not.toContain('ILIKE')
  })
})

describe('runs', () => {
  test.each<[string, object, number[]]>([
    ['one that has ended', { q: 'question 15003' }, [15_003]],
    ['one that is queued', { q: 'question 15001' }, [15_001]],
    ['by its summary', { q: 'saffron' }, [15_002]],
    ['none', { q: 'cinnamon' }, []],
  ])('%s', async (_, input, found) => {
    expect(await runs(input)).toEqual(found)
    const plans = (await plansOf(db, () => runs(input))).join('\n')
    for (const index of ['run_words', 'run_status', 'run_pkey'])
      expect(plans).toMatch(new RegExp(`Index Scan (using|on) ${index}`))
    expect(plans).not.toMatch(/Seq Scan on run /)
  })

  test('by the beginning of an id', async () => {
    const id = await idOf(sql`SELECT run_id AS id FROM run WHERE question LIKE 'Question 15003 %'`)
    expect(await runs({ q: id })).toEqual([15_003])
  })
})
