import sql, { join, raw, type Sql } from 'sql-template-tag'
import { EVENT_NAMES } from '#domain/event/event-names.ts'
import { LEDGER_MACHINES } from '#domain/machines.ts'
import type { Db, Row } from './database.ts'
import { prepared } from './prepared.ts'
import { key, type LedgerMachine, TABLES, table } from './tables.ts'
import { type Told, tellOf } from './tell.ts'

export type Create = Told & {
  machine: LedgerMachine
  /** Column → value; `jsonb` values as `json(…)`, times as SQL over the database clock. */
  values: Record<string, unknown>
  /** The statement runs often: it is prepared once for each connection. */
  hot?: true
}

/**
 * Creates an object of a machine in its initial state, with its event, in one statement. A row that exists already (same
 * key, or another unique rule) is left as it is and `null` comes back.
 */
export async function create<R extends Row = Row>(db: Db, what: Create): Promise<R | null> {
  const statement = createStatement(what, [what.values])
  const { rows } = await db.query<R>(what.hot ? prepared(statement) : statement)
  return rows[0] ?? null
}

/** Creates many at once, in one statement; returns those that are new. All rows name the same columns. */
export async function createMany<R extends Row = Row>(
  db: Db,
  what: Omit<Create, 'values'> & { values: Record<string, unknown>[] },
): Promise<R[]> {
  if (what.values.length === 0) return []
  const { rows } = await db.query<R>(createStatement(what, what.values))
  return rows
}

function createStatement(what: Omit<Create, 'values'>, rows: Record<string, unknown>[]): Sql {
  const machine = LEDGER_MACHINES[what.machine]
  const [event, edge] = Object.entries(machine.events).find(([, e]) => e.from === null) as [
    string,
    { to: string },
  ]
  const columns = Object.keys(rows[0] ?? {})
  const names = join([raw('status'), ...columns.map((c) => raw(safeName(c)))])
  const tuples = rows.map((values) => sql`(${join([edge.to, ...columns.map((c) => values[c] as never)])})`)
  const name = (EVENT_NAMES[what.machine] as Record<string, string | null>)[event]
  const { resource, refs } = TABLES[what.machine]
  const cells = {
    name: name ?? '',
    resource,
    id: sql`m.${key(what.machine)}::text`,
    transition: event,
    fromStatus: sql`NULL::text`,
    toStatus: sql`m.status`,
    refs,
  }
  const made = sql`WITH made AS (INSERT INTO ${table(what.machine)} (${names}) VALUES ${join(tuples)} ON CONFLICT DO NOTHING RETURNING *)`
  return name
    ? sql`${made}, told AS (${tellOf('made', cells, what)}) SELECT * FROM made`
    : sql`${made} SELECT * FROM made`
}

function safeName(column: string): string {
  if (!/^[a-z][a-z0-9_]*$/.test(column)) throw new Error(`not a column: ${column}`)
  return column
}
