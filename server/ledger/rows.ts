/**
 * Row types of the ledger, derived from the Prisma schema: no row type is written by hand, so a misspelt column does not compile.
 *
 * `Row<'job', 'job_id' | 'fence'>` is what a statement returns that selects these columns. Times arrive as `Date`, `int8` as `number`
 * (all of ours are far below 2^53). A status has the states of its machine as its type, other columns what `Shapes` says of them.
 */
import { join, raw, type Sql } from 'sql-template-tag'
import type { StateOf } from '#domain/kernel/machine.ts'
import type { LEDGER_MACHINES } from '#domain/machines.ts'
import type { Prisma } from '#prisma/generated/client.ts'

type Models = Prisma.TypeMap['model']

type SnakeCase<S extends string, First extends boolean = true> = S extends `${infer Head}${infer Tail}`
  ? Head extends Uppercase<Head>
    ? `${First extends true ? '' : '_'}${Lowercase<Head>}${SnakeCase<Tail, false>}`
    : `${Head}${SnakeCase<Tail, false>}`
  : S

/** A column as `pg` delivers it: a document of unknown shape is `unknown`, an `int8` a number. */
type Delivered<T> = [Prisma.JsonValue] extends [T] ? unknown : T extends bigint ? number : T

type Scalars<M extends keyof Models> = Models[M]['payload']['scalars']
type Plain = {
  [M in keyof Models as SnakeCase<M>]: { [C in keyof Scalars<M>]: Delivered<Scalars<M>[C]> }
}

/** A table's columns as Prisma Client delivers them. */
type Read = { [M in keyof Models as SnakeCase<M>]: Scalars<M> }

type States = { [M in keyof typeof LEDGER_MACHINES]: { status: StateOf<(typeof LEDGER_MACHINES)[M]> } }

/**
 * What the schema cannot say of a column: the values of a closed set, the shape of a document. A room states it for its own tables:
 *
 *     declare module '#server/ledger/rows.ts' {
 *       interface Shapes { job: { job_type: JobType; error: JobError | null } }
 *     }
 */
export interface Shapes {
  event: {
    outcome: 'ok' | 'refused' | 'error'
    refs: Record<string, string>
    details: Record<string, unknown>
  }
}

type ShapeOf<T> = (T extends keyof States ? States[T] : unknown) &
  (T extends keyof Shapes ? Shapes[T] : unknown)

/** Names of the ledger's tables. */
export type Table = keyof Plain & string

/** Names of a table's columns. */
export type Column<T extends Table> = keyof Plain[T] & string

/** A row of the table, or these columns of it. */
export type Row<T extends Table, C extends Column<T> = Column<T>> = {
  [K in C]: K extends keyof ShapeOf<T> ? ShapeOf<T>[K] : Plain[T][K]
}

/** `columns('job', 'j', ['job_id', 'status'])` is `j.job_id, j.status`, each name known to the schema. */
export const columns = <T extends Table>(_table: T, alias: string, names: readonly Column<T>[]): Sql =>
  join(names.map((name) => raw(`${alias}.${name}`)))

/** The `select` of these columns for Prisma Client. */
export const selected = <const C extends string>(names: readonly C[]): { [K in C]: true } =>
  Object.fromEntries(names.map((name) => [name, true])) as { [K in C]: true }

/** A row of Prisma Client as a statement would return it: states and documents have their types, `int8` is a number. */
export const rowOf = <T extends Table, C extends Column<T>>(
  _table: T,
  row: { [K in C]: Read[T][K & keyof Read[T]] },
): Row<T, C> => {
  const delivered = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? Number(value) : value,
  ])
  return Object.fromEntries(delivered) as Row<T, C>
}

/** The same of many rows. */
export const rowsOf = <T extends Table, C extends Column<T>>(
  table: T,
  rows: readonly { [K in C]: Read[T][K & keyof Read[T]] }[],
): Row<T, C>[] => rows.map((row) => rowOf<T, C>(table, row))
