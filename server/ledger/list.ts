/**
 * Pages of a list: by keyset along an index, so a page costs the same at any depth. One kit for SQL and for Prisma Client.
 *
 *     const newest = keyset('job', 'newest', { created_at: 'time', job_id: 'uuid' }, 'desc')
 *
 * A cursor is opaque: the order it belongs to and the values of the last row. A cursor of another list, or one that cannot be read, is
 * refused with 400: a list that silently began again at its head would show a reader the same rows twice.
 */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import { Refused } from '#domain/kernel/errors.ts'
import type { Column, Table } from './rows.ts'

type Kind = 'time' | 'text' | 'uuid' | 'number'
type Value = Date | string | number
type Direction = 'asc' | 'desc'
/** What a reader asks for: behind which row, and how many. */
type PageInput = { cursor?: string | undefined; limit: number }
type Slice<W, C extends string> = {
  where: { AND: (W | object)[] }
  orderBy: Partial<Record<C, Direction>>[]
  take: number
}

export type Keyset<C extends string> = {
  /** The list behind `ORDER BY`, over the alias. */
  order(alias: string): Sql
  /** The rows behind the cursor, over the alias; null at the head. */
  after(alias: string, cursor: string | undefined): Sql | null
  /** The same for Prisma Client. */
  readonly orderBy: Partial<Record<C, Direction>>[]
  /** What `findMany` takes for a page of the rows that `filter` lets through: one row more than the page has, for `page` to cut. */
  slice<W extends object>(filter: W, page: PageInput): Slice<W, C>
  cursorOf(row: Record<C, unknown>): string
  /** Cuts a page out of `limit + 1` rows. */
  page<R extends Record<C, unknown>>(
    rows: readonly R[],
    limit: number,
  ): { rows: R[]; next_cursor: string | null }
}

const CASTS: Record<Kind, Sql> = {
  time: raw('::timestamptz'),
  text: raw('::text'),
  uuid: raw('::uuid'),
  number: raw('::bigint'),
}

/** The order of a list: its columns in order, the last of them unique. */
export function keyset<T extends Table, const C extends Column<T>>(
  _table: T,
  name: string,
  kinds: Record<C, Kind>,
  direction: Direction,
): Keyset<C> {
  const names = Object.keys(kinds) as C[]
  const listed = (alias: string, end = '') => join(names.map((column) => raw(`${alias}.${column}${end}`)))
  const cursorOf = (row: Record<C, unknown>): string =>
    Buffer.from(JSON.stringify([name, ...names.map((column) => row[column])])).toString('base64url')
  const valuesOf = (cursor: string) =>
    readCursor(
      cursor,
      name,
      names.map((column) => kinds[column]),
    )
  const orderBy = names.map((column) => ({ [column]: direction }) as Partial<Record<C, Direction>>)
  return {
    order: (alias) => listed(alias, direction === 'desc' ? ' DESC' : ''),
    after: (alias, cursor) => {
      if (cursor === undefined) return null
      const place = join(valuesOf(cursor).map((value, n) => sql`${value}${CASTS[kinds[names[n] as C]]}`))
      return sql`(${listed(alias)}) ${raw(direction === 'desc' ? '<' : '>')} (${place})`
    },
    orderBy,
    slice: (filter, { cursor, limit }) => ({
      where: { AND: cursor === undefined ? [filter] : [filter, behind(names, valuesOf(cursor), direction)] },
      orderBy,
      take: limit + 1,
    }),
    cursorOf,
    page: (rows, limit) => {
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : undefined
      return { rows: shown, next_cursor: last ? cursorOf(last) : null }
    },
  }
}

/** `(a, b) < (x, y)` for Prisma, which has no row values: `a <= x` bounds the index, the rest cuts inside it. */
function behind(names: readonly string[], values: readonly Value[], direction: Direction): object {
  const [beyond, upTo] = direction === 'desc' ? ['lt', 'lte'] : ['gt', 'gte']
  const alternatives = names.map((column, n) => ({
    ...Object.fromEntries(names.slice(0, n).map((before, m) => [before, values[m]])),
    [column]: { [beyond as string]: values[n] },
  }))
  return { AND: [{ [names[0] as string]: { [upTo as string]: values[0] } }, { OR: alternatives }] }
}

function readCursor(cursor: string, name: string, kinds: readonly Kind[]): Value[] {
  const parsed = parse(cursor)
  if (!Array.isArray(parsed) || parsed.length !== kinds.length + 1 || parsed[0] !== name) throw foreign()
  return kinds.map((kind, n) => READERS[kind](parsed[n + 1]))
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}

const READERS: Record<Kind, (value: unknown) => Value> = {
  time: (value) => {
    const at = new Date(typeof value === 'string' ? value : Number.NaN)
    if (Number.isNaN(at.getTime())) throw foreign()
    return at
  },
  text: (value) => {
    if (typeof value !== 'string' || value.includes('\0')) throw foreign()
    return value
  },
  uuid: (value) => {
    if (typeof value !== 'string' || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value))
      throw foreign()
    return value
  },
  number: (value) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw foreign()
    return value
  },
}

const foreign = () => new Refused('BAD_REQUEST', 'The cursor does not belong to this list.')

/** A reader's text inside LIKE, its wildcards taken literally. NUL, which no text column holds, is left out. */
export const like = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&').replaceAll('\0', '')

/** A pattern of LIKE: the text anywhere. */
export const patternOf = (text: string): string => `%${like(text)}%`

/** Whether a column begins with the text, along its index. */
export const startsWith = (column: Sql, text: string): Sql => sql`${column} LIKE ${`${like(text)}%`}`

/** `WHERE a AND b` of the conditions there are. */
export function whereAll(...conditions: readonly (Sql | null | undefined | false)[]): Sql {
  const present = conditions.filter((condition): condition is Sql => Boolean(condition))
  return present.length > 0 ? sql`WHERE ${join(present, ' AND ')}` : empty
}
