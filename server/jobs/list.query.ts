import sql from 'sql-template-tag'
import type { JobListInput, JobPage } from '#contracts/job.contract.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import type { Db } from '#server/ledger/database.ts'
import { cursorToPlace, placeToCursor } from '#server/ledger/keyset.ts'
import { conditions, filterConditions } from './job-filter.ts'
import { jobView, VIEW_COLUMNS, type ViewRow } from './job-view.ts'

/** A page of jobs, newest first, by keyset; an unreadable cursor begins at the newest. */
export async function listJobs(db: Db, input: JobListInput): Promise<JobPage> {
  const where = filterConditions(input)
  const place = cursorToPlace(input.cursor, PATTERNS.job)
  if (place) where.push(sql`(j.created_at, j.job_id) < (${place.at}, ${place.id}::uuid)`)
  const { rows } = await db.query<
    ViewRow & { now: Date }
  >(sql`SELECT ${VIEW_COLUMNS}, clock_timestamp() AS now FROM job j ${conditions(where)}
    ORDER BY j.created_at DESC, j.job_id DESC LIMIT ${input.limit + 1}`)
  const shown = rows.slice(0, input.limit)
  const last = rows.length > input.limit ? shown.at(-1) : undefined
  return {
    items: shown.map(jobView),
    next_cursor: last ? placeToCursor({ at: last.created_at, id: last.job_id }) : null,
    now: rows[0]?.now.toISOString() ?? (await ledgerNow(db)),
  }
}

/** The ledger's clock, which countdowns run against. */
export async function ledgerNow(db: Db): Promise<string> {
  const { rows } = await db.query<{ now: Date }>(sql`SELECT clock_timestamp() AS now`)
  return (rows[0]?.now ?? new Date(0)).toISOString()
}
