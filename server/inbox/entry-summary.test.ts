/** What the Inbox says: of an entry its summary, or the question of the work that it asks for; of each day what arrived and what was decided, of today what ended. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayOf } from '#domain/kernel/days.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import type { Decision } from '#server/metrics/catalogue.ts'
import { countEvents } from '#server/metrics/count-events.ts'
import type { Total } from '#server/metrics/meter.ts'
import { addTotals } from '#server/metrics/totals.ts'
import { expireEntries, refuseEntry, resolveEntry } from './entry-transitions.ts'
import { daysStatement, inboxDays } from './inbox-days.query.ts'
import { inboxStats, statsStatement } from './list-entries.query.ts'

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

test('entries count for the day on which they ended, whenever they were received', async () => {
  const [resolved, refused, expired] = ['inbox_resolved', 'inbox_refused', 'inbox_expired'] as const
  const stats = await onLedger(database.adminUrl, async (db) => {
    await db.query(sql`INSERT INTO inbox_entry (inbox_id, source_type, source_identity, action, target, payload, body_digest, correlation_id, received_at, expires_at)
      SELECT id, 'ui', 'owner', 'propose-note', 'notes/a.md', '{}', 'd', id, clock_timestamp() - interval '72 hours',
        clock_timestamp() FROM unnest(${[resolved, refused, expired]}::text[]) id`)
    await db.transaction((tx) => resolveEntry(tx, resolved, { kind: 'job', id: 'a job' }))
    await db.transaction((tx) =>
      refuseEntry(tx, refused, { code: 'TARGET_NOT_FOUND', message: 'It is gone.' }),
    )
    await expireEntries({ db })
    await sealAll(db)
    await countEvents(db)
    return inboxStats({ db })
  })
  expect(stats).toMatchObject({ processed_today: 1, rejected_today: 1, expired_today: 1 })
})

describe('the last 30 days', () => {
  const NOW = new Date('2026-11-23T10:00:00Z')
  const at = (text: string) => new Date(text)
  const arrived = (when: string, count = 1): Total => ({
    ...{ name: 'garden_inbox_received_total', labels: {}, le: Number.POSITIVE_INFINITY, count, sum: count },
    at: at(when),
  })
  const decided = (decision: Decision, when: string): Total => ({
    ...arrived(when),
    name: 'garden_proposal_decisions_total',
    labels: { decision },
  })

  test('are counted by the day in UTC on which it happened, without what was undone', async () => {
    const recently = (hour: string) => `${dayOf(new Date())}T${hour}:00:00Z`
    const { days } = await onLedger(database.workerUrl, async (db) => {
      const before = dayOf(new Date(Date.now() - 86_400_000))
      await addTotals(db, [
        arrived(`${before}T23:59:00Z`, 2),
        arrived(recently('00'), 3),
        decided('approved', recently('00')),
        decided('approved', recently('00')),
        decided('auto_approved', recently('00')),
        decided('undone', recently('00')),
        decided('rejected', recently('00')),
        decided('expired', `${before}T12:00:00Z`),
        arrived(`${dayOf(new Date(Date.now() - 30 * 86_400_000))}T23:59:00Z`, 50),
      ])
      return inboxDays({ db })
    })
    expect(days).toHaveLength(30)
    expect(days.slice(-2).map(({ day: _, ...counted }) => counted)).toEqual([
      { arrived: 2, approved: 0, rejected: 0, expired: 1 },
      { arrived: 3, approved: 2, rejected: 1, expired: 0 },
    ])
    expect(days.reduce((sum, day) => sum + day.arrived, 0)).toBe(5)
    expect(days.at(-1)?.day).toBe(dayOf(new Date()))
  })

  test('are read by an index, however much was counted and whatever the ledger holds', async () => {
    const plan = await onLedger(database.url, async (db) => {
      await db.query(sql`INSERT INTO metric_point (step, at, name, labels, count)
        SELECT 900, ${NOW}::timestamptz - make_interval(secs => 900 * n), name, jsonb_build_object('decision', t), 1
        FROM generate_series(1, 8640) n, generate_series(1, 2) t, (SELECT 'garden_proposal_decisions_total' AS name
          UNION ALL SELECT 'garden_other_' || m FROM generate_series(1, 9) m) named ON CONFLICT DO NOTHING`)
      await db.query(sql`ANALYZE metric_point`)
      return db.query<{ 'QUERY PLAN': string }>(
        sql`EXPLAIN ${daysStatement(new Date(NOW.getTime() - 30 * 86_400_000))}`,
      )
    })
    const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(text).toMatch(/Index Cond: .*step = .*name = /)
    expect(text).not.toContain('Seq Scan')
    expect(text).not.toContain('inbox_entry')
  })

  test('and so is what ended today', async () => {
    const { rows } = await onLedger(database.url, (db) =>
      db.query<{ 'QUERY PLAN': string }>(sql`EXPLAIN ${statsStatement()}`),
    )
    const text = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(text).toMatch(/Index Cond: .*step = .*name = .*at >= /)
    expect(text).not.toContain('Seq Scan on metric_point')
  })
})
