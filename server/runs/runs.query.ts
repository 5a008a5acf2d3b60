/** The list of runs: newest first, by keyset over (requested_at, run_id), from the ledger (contract page 03, section 9). */
import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { RunListInput, RunPage } from '#contracts/run.contract.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import type { Db } from '#server/ledger/database.ts'
import { type CountedRun, RUN_COLUMNS, runView } from './run-view.ts'

/** A page of runs; an unreadable cursor begins at the newest. */
export async function runPage(db: Db, input: RunListInput): Promise<RunPage> {
  const where = filters(input)
  const { rows } = await db.query<CountedRun>(sql`SELECT ${RUN_COLUMNS} FROM (
      SELECT run.* FROM run ${where.length > 0 ? sql`WHERE ${join(where, ' AND ')}` : empty}
      ORDER BY run.requested_at DESC, run.run_id DESC LIMIT ${input.limit + 1}) r
    ORDER BY r.requested_at DESC, r.run_id DESC`)
  const items = rows.slice(0, input.limit)
  const last = items.at(-1)
  return {
    items: items.map(runView),
    next_cursor: rows.length > input.limit && last ? cursorOf(last) : null,
  }
}

function filters(input: RunListInput): Sql[] {
  const where: Sql[] = []
  if (input.status) where.push(sql`run.status = ${input.status}`)
  if (input.agent) where.push(sql`run.agent_slug = ${input.agent}`)
  if (input.trigger) where.push(sql`run.trigger = ${input.trigger}`)
  if (input.from) where.push(sql`run.requested_at >= ${new Date(input.from)}`)
  if (input.to) where.push(sql`run.requested_at < ${new Date(input.to)}`)
  const q = input.q?.trim()
  if (q) {
    const like = q.replace(/[\\%_]/g, '\\$&')
    where.push(
      sql`(run.run_id LIKE ${`${like}%`} OR run.params::text ILIKE ${`%${like}%`} OR run.summary ILIKE ${`%${like}%`})`,
    )
  }
  const after = readCursor(input.cursor)
  if (after) where.push(sql`(run.requested_at, run.run_id) < (${after.at}, ${after.id})`)
  return where
}

const cursorOf = (run: CountedRun): string => `${run.requested_at.getTime()}.${run.run_id}`

function readCursor(cursor: string | undefined): { at: Date; id: string } | null {
  const dot = cursor?.indexOf('.') ?? -1
  if (!cursor || dot < 1) return null
  const [ms, id] = [cursor.slice(0, dot), cursor.slice(dot + 1)]
  return /^\d{1,14}$/.test(ms) && PATTERNS.run.test(id) ? { at: new Date(Number(ms)), id } : null
}
