import sql, { join, raw, type Sql } from 'sql-template-tag'
import { EVENT_NAMES } from '#domain/event/event-names.ts'
import { RECORDS } from '#domain/event/record.rules.ts'
import { LEDGER_MACHINES } from '#domain/machines.ts'
import type { Db } from './database.ts'
import { type EventFields, insertEvent } from './event-fields.ts'
import { prepared } from './prepared.ts'
import type { Column, Row } from './rows.ts'
import { type LedgerMachine, resourceIdOf, TABLES, table } from './tables.ts'
import { topicsOf } from './topics.ts'

/** Column → value; `jsonb` values as `json(…)`, times as SQL over the database clock. */
export type Values<M extends LedgerMachine> = { readonly [C in Column<M>]?: unknown }

export type Create<M extends LedgerMachine> = EventFields & {
  machine: M
  values: Values<M>
  /** The statement runs often: it is prepared once for each connection. */
  prepared?: true
}

/**
 * Creates an object of a machine in its initial state, with its event, in one statement. A row that exists already (same
 * key, or another unique rule) is left as it is and `null` comes back.
 */
export async function create<M extends LedgerMachine>(db: Db, what: Create<M>): Promise<Row<M> | null> {
  const statement = createStatement(what)
  const { rows } = await db.query<Row<M>>(what.prepared ? prepared(statement) : statement)
  if (rows.length > 0) db.notify(...topicsOf(what.machine, creationOf(what.machine)))
  return rows[0] ?? null
}

/** The event that creates an object of this machine. */
const creationOf = (machine: LedgerMachine): string => {
  const made = Object.entries(LEDGER_MACHINES[machine].events).find(([, edge]) => edge.from === null)
  if (!made) throw new Error(`${machine} has no event that creates`)
  return made[0]
}

function createStatement<M extends LedgerMachine>(what: Create<M>): Sql {
  const event = creationOf(what.machine)
  const edge = (LEDGER_MACHINES[what.machine].events as Record<string, { to: string }>)[event] as {
    to: string
  }
  const values: Readonly<Record<string, unknown>> = what.values
  const columns = Object.keys(values)
  const names = join([raw('status'), ...columns.map((c) => raw(safeName(c)))])
  const tuple = join([edge.to, ...columns.map((c) => values[c] as never)])
  const name = (EVENT_NAMES[what.machine] as Record<string, string | null>)[event]
  const { resource, refs } = TABLES[what.machine]
  const cells = {
    name: name ?? '',
    resource,
    id: resourceIdOf(what.machine),
    transition: event,
    fromStatus: sql`NULL::text`,
    toStatus: sql`m.status`,
    refs,
    record: RECORDS[what.machine]?.[event] ?? [],
  }
  const made = sql`WITH made AS (INSERT INTO ${table(what.machine)} (${names}) VALUES (${tuple}) ON CONFLICT DO NOTHING RETURNING *)`
  return name
    ? sql`${made}, inserted AS (${insertEvent(sql`made`, cells, what)}) SELECT * FROM made`
    : sql`${made} SELECT * FROM made`
}

function safeName(column: string): string {
  if (!/^[a-z][a-z0-9_]*$/.test(column)) throw new Error(`not a column: ${column}`)
  return column
}
