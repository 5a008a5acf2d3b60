import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backoffTable, DEFAULT_MAX_ATTEMPTS } from '#domain/job/job.rules.ts'
import { backOffJob, backoffEnd, releaseJobs } from './retry.ts'
import { addJob, call, endBackoff, openRoom, type Room } from './testing/queue-room.ts'

let room: Room
beforeAll(async () => {
  room = await openRoom()
})
afterAll(() => room.close())

const FAILURE = { code: 'RATE_LIMIT' as const, message: 'slow down' }

describe("the ledger's backoff before a retry", () => {
  it.each([undefined, 0, 9, 39.2, 9_999, -5])(
    'is the table of the rule with Retry-After %s',
    async (after) => {
      const table = backoffTable(after)
      const { rows } = await room.db.query<{ attempt: number; seconds: number }>(
        sql`SELECT t.attempt, round(extract(epoch FROM ${backoffEnd(after)} - clock_timestamp()))::int AS seconds
        FROM generate_series(-1, 9) AS t (attempt) ORDER BY t.attempt`,
      )
      expect(rows).toEqual(
        rows.map(({ attempt }) => ({
          attempt,
          seconds: table[Math.min(Math.max(attempt, 0), table.length - 1)],
        })),
      )
      expect(rows).toHaveLength(11)
    },
  )

  it('gives one first execution and three retries, then the end', async () => {
    const id = await addJob(room.db, { max_attempts: DEFAULT_MAX_ATTEMPTS })
    const rested: (number | null)[] = []
    for (let state: string | null = 'RETRY_BACKOFF'; state === 'RETRY_BACKOFF'; ) {
      state = await backOffJob(room, 'nlm_busy', await call(room, id), FAILURE)
      const { rows } = await room.db.query<{ seconds: number | null }>(
        sql`SELECT round(extract(epoch FROM not_before - updated_at))::int AS seconds FROM job WHERE job_id = ${id}`,
      )
      rested.push(rows[0]?.seconds ?? null)
      await endBackoff(room.db, id)
      await releaseJobs(room.db)
    }
    expect(rested).toEqual([...backoffTable(), null])
  })
})
