/** What the list says of an entry: its summary, or the question of the work that it asks for. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const LONG = 'why '.repeat(100)

test.each([
  ['a change', { summary: 'The north bed is shady.' }, 'The north bed is shady.'],
  ['an empty summary', { summary: '', params: { question: 'What grows?' } }, 'What grows?'],
  ['a run', { params: { question: 'What keeps\n  slugs away? ' } }, 'What keeps slugs away?'],
  ['a run, by another name', { params: { question: '', topic: 'Slugs' } }, 'Slugs'],
  ['a job', { job_type: 'RESEARCH', payload: { query: 'Slugs?' } }, 'Slugs?'],
  ['a job of a vision', { job_type: 'VISION', payload: { vision_text: 'A pond' } }, 'A pond'],
  ['a long question', { params: { question: LONG } }, LONG.slice(0, 200)],
  ['work without a question', { params: {} }, null],
])('%s', async (_what, payload, expected) => {
  const id = `inbox_2026-11-23_${crypto.randomUUID().slice(0, 12).replace('-', '0')}`
  const { rows } = await onLedger(database.webUrl, (db) =>
    db.query<{ summary: string | null }>(sql`INSERT INTO inbox_entry
      (inbox_id, source_type, source_identity, action, target, payload, body_digest, correlation_id, expires_at)
      VALUES (${id}, 'ui', 'owner', 'propose-artifact', 'agents/scout', ${JSON.stringify(payload)}::jsonb, 'd', ${id},
        clock_timestamp() + interval '1 hour') RETURNING summary`),
  )
  expect(rows[0]?.summary).toBe(expected)
})
