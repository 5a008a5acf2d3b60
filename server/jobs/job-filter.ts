import sql, { join, type Sql } from 'sql-template-tag'
import type { JobFilter } from '#contracts/job.contract.ts'

/** The conditions of a filter over the job `j`; an empty filter has none. */
export function filterConditions(filter: JobFilter): Sql[] {
  const where: Sql[] = []
  if (filter.status?.length) where.push(statusIs(filter.status))
  if (filter.type) where.push(sql`j.job_type = ${filter.type}`)
  if (filter.agent) where.push(sql`j.agent_slug = ${filter.agent}`)
  if (filter.run) where.push(sql`j.run_id = ${filter.run}`)
  if (filter.failure) where.push(sql`j.failure_kind = ${filter.failure}`)
  if (filter.from) where.push(sql`j.created_at >= ${new Date(filter.from)}`)
  if (filter.to) where.push(sql`j.created_at < ${new Date(filter.to)}`)
  const q = filter.q?.trim()
  if (q) where.push(textIs(q))
  return where
}

const statusIs = (states: readonly string[]): Sql =>
  states.length === 1 ? sql`j.status = ${states[0]}` : sql`j.status = ANY(${[...states]}::text[])`

/** Part of the question, or the beginning of an id. */
function textIs(q: string): Sql {
  const like = q.replaceAll(/[\\%_]/g, '\\$&').replaceAll('\0', '')
  const ids = [sql`j.title ILIKE ${`%${like}%`}`]
  if (/^[0-9a-f-]{4,36}$/i.test(q)) ids.push(sql`j.job_id::text LIKE ${`${q.toLowerCase()}%`}`)
  return sql`(${join(ids, ' OR ')})`
}

export const conditions = (all: Sql[]): Sql => (all.length > 0 ? sql`WHERE ${join(all, ' AND ')}` : sql``)
