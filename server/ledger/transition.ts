/**
 * THE transition: one guarded statement that locks the rows which may change, changes them and records the event.
 *
 * The guard is `status = ANY(from)` read off the machine's table, joined by the caller's own (`where`: the id, the fence,
 * a time). Zero rows back means that somebody else won or the guard did not hold; that is an outcome, not an exception.
 * State and event commit together because they are one statement; nobody reads first and writes afterwards. A statement that waits for
 * rows locks them in the order of their key, so that two of them never wait for each other in a circle.
 *
 * Rows that are named by their key are found by it alone: `IS TRUE` keeps the planner from walking the index of a state instead, whose
 * statistics lag behind a busy queue. The change finds them by their key, too: they are locked, so their state is the one that was read. The states stand in the text as constants, so that sweeps find their partial indexes.
 */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import { EVENT_NAMES } from '#domain/event/event-names.ts'
import { RECORDS } from '#domain/event/record.rules.ts'
import type { EventOf, Machine } from '#domain/kernel/machine.ts'
import { LEDGER_MACHINES } from '#domain/machines.ts'
import type { Db } from './database.ts'
import { type EventFields, insertEvent } from './event-fields.ts'
import { prepared } from './prepared.ts'
import { type Column, columns, type Row } from './rows.ts'
import { states } from './states.ts'
import { key, type LedgerMachine, resourceIdOf, TABLES, table } from './tables.ts'
import { topicsOf } from './topics.ts'

export type EventIn<M extends LedgerMachine> = EventOf<(typeof LEDGER_MACHINES)[M]>

export type Transition<M extends LedgerMachine> = EventFields & {
  machine: M
  event: EventIn<M>
  /** The guard beside the state, over the row `o`: its id, its fence, a time of the database clock. */
  where: Sql
  /** Further assignments, over the row `t`: `fence = t.fence + 1, lease_expires_at = …`. */
  set?: Sql
  /**
   * For transitions of many rows, each with its own data: a relation with one line a row (`unnest(…) AS i(id, fence, digest)`),
   * which `where` joins (`i.id = o.job_id AND i.fence = o.fence`), and those of its columns that `set` (as `o.digest`), `details` and
   * `returning` (as `m.digest`) read. Every row keeps its own guard.
   */
  items?: { rows: Sql; columns: readonly string[] }
  /** For transitions of many rows: their order and number, skipping rows that somebody else holds. */
  batch?: { order: Sql; limit: number }
  /** With `batch`: `where` names the rows by key, so the state is checked on them and not searched by. */
  byKey?: true
  /** The statement runs often: it is prepared once for each connection. */
  prepared?: true
  /**
   * What comes back: columns of the moved row, which type the answer, or SQL over the moved row `m` (`m.from_status` is the old state).
   * All columns by default.
   */
  returning?: Sql | readonly Column<M>[]
}

/** The statement itself, for callers that put several transitions into one round trip. */
export function transitionStatement<M extends LedgerMachine>(what: Transition<M>): Sql {
  const edge = (
    LEDGER_MACHINES[what.machine].events as Record<string, { from: readonly string[] | null; to: string }>
  )[what.event]
  if (!edge?.from) throw new Error(`${what.machine}.${what.event} is not a transition`)
  const name = (EVENT_NAMES[what.machine] as Record<string, string | null>)[what.event]
  const { resource, refs } = TABLES[what.machine]
  const [t, k] = [table(what.machine), key(what.machine)]
  const [first, ...more] = edge.from as [string, ...string[]]
  const allowed = sql`o.status IN ${states(LEDGER_MACHINES[what.machine] as Machine, first, ...more)}`
  const guard = what.batch && !what.byKey ? allowed : sql`(${allowed}) IS TRUE`
  const items = what.items ? sql`, ${what.items.rows}` : empty
  const brought = (alias: 'i' | 'o') =>
    what.items?.columns.length ? sql`, ${join(what.items.columns.map((c) => raw(`${alias}.${c}`)))}` : empty
  const order = what.batch ? sql`${what.batch.order} LIMIT ${what.batch.limit}` : sql`o.${k}`
  const cells = {
    name: name ?? '',
    resource,
    id: resourceIdOf(what.machine),
    transition: what.event as string,
    fromStatus: sql`m.from_status`,
    toStatus: sql`m.status`,
    refs,
    record: RECORDS[what.machine]?.[what.event] ?? [],
  }
  return sql`WITH o AS MATERIALIZED (
      SELECT o.${k} AS row_key, o.status AS from_status${brought('i')} FROM ${t} o${items}
      WHERE ${guard} AND (${what.where})
      ORDER BY ${order} FOR UPDATE OF o${what.batch ? sql` SKIP LOCKED` : empty}
    ), moved AS (
      UPDATE ${t} t SET status = ${edge.to}, updated_at = clock_timestamp()${what.set ? sql`, ${what.set}` : empty}
      FROM o WHERE t.${k} = o.row_key
      RETURNING t.*, o.from_status${brought('o')}
    )${name ? sql`, inserted AS (${insertEvent(sql`moved`, cells, what)})` : empty}
    SELECT ${answered(what.machine, what.returning)} FROM moved m`
}

function answered<M extends LedgerMachine>(machine: M, returning: Transition<M>['returning']): Sql {
  if (!returning) return sql`m.*`
  return 'text' in returning ? returning : columns(machine, 'm', returning)
}

/**
 * Changes the rows that match and returns them as they are afterwards; an empty list says that none did. What the event announces is
 * sent when the change is durable.
 */
export async function transition<M extends LedgerMachine, const C extends Column<M>>(
  db: Db,
  what: Transition<M> & { returning: readonly C[] },
): Promise<Row<M, C>[]>
export async function transition<R extends object, M extends LedgerMachine = LedgerMachine>(
  db: Db,
  what: Transition<M>,
): Promise<R[]>
export async function transition<R extends object, M extends LedgerMachine>(
  db: Db,
  what: Transition<M>,
): Promise<R[]> {
  const statement = transitionStatement(what)
  const { rows } = await db.query<R>(what.prepared ? prepared(statement) : statement)
  if (rows.length > 0) db.notify(...topicsOf(what.machine, what.event))
  return rows
}
