/**
 * A page of a list by SQL, in which a text may be looked for. A text that many rows hold is found by a walk along the order of the list, one that few
 * hold by its index; which of them it is, nobody knows before, and statistics guess. So the walk begins, and is cut:
 *
 * 1. the first rows of the list are looked into; a frequent text fills its page here;
 * 2. where they hold some, more of them are;
 * 3. then the index is asked for all rows that hold its rarest word. Only a text that no index narrows is looked for in the whole list.
 *
 * Every step gives a whole page or is thrown away, so the page is the one that the list would have without them.
 */
import sql, { join, type Sql } from 'sql-template-tag'
import type { Db } from './database.ts'
import { indexedWords, rarestWord } from './indexed-words.ts'
import { whereAll } from './list.ts'

export type TextSearch = {
  /** What the text is made of; a row that holds it holds each. */
  words: readonly string[]
  /** Whether the texts of a row `o` hold what a pattern of LIKE means. */
  has(pattern: Sql): Sql
  /** Whether a row `o` is meant by the text. */
  holds: Sql
  /**
   * Conditions of which every row that is meant meets one, each answered by an index of its own, by this word of the text; null where none narrows it.
   */
  indexed(word: string | null): readonly Sql[] | null
  /** A row that meets one of them is meant; otherwise it is asked whether it is. */
  decides?: boolean
}

export type Listing = {
  columns: Sql
  /** The table, as `o`. */
  from: Sql
  where: readonly (Sql | null)[]
  order: Sql
  search: TextSearch | null
  steps?: Steps
}

/** Rows of the list that are looked into at first, and further ones where at least `some` of the first hold the text: with fewer, the index has few to give. */
type Steps = { first: number; some: number; further: number }

const STEPS: Steps = { first: 2_000, some: 5, further: 20_000 }
/** Rows by which words are compared. */
const SAMPLE = 250

/** The first rows of the list, one more than the page has, for the keyset to cut. */
export async function listPage<R extends object>(
  db: Pick<Db, 'query'>,
  listing: Listing,
  limit: number,
  { first, some, further } = listing.steps ?? STEPS,
): Promise<R[]> {
  const { search } = listing
  const rowsOf = async (statement: Sql) => (await db.query<R>(statement)).rows
  const rows = limit + 1
  if (!search) return rowsOf(ofList(listing, listing.where, rows))
  const found = await rowsOf(amongFirst(listing, search, first, rows))
  if (found.length === rows) return found
  const sample = sql`SELECT * FROM ${listing.from} ${whereAll(...listing.where)} ORDER BY ${listing.order} LIMIT ${SAMPLE}`
  const words = await indexedWords(db, search.words)
  const indexed = search.indexed(await rarestWord(db, words, { rows: sample, has: search.has }))
  if (found.length >= some || !indexed) {
    const more = await rowsOf(amongFirst(listing, search, further, rows))
    if (more.length === rows) return more
  }
  return rowsOf(
    indexed
      ? byIndex(listing, search, indexed, rows)
      : ofList(listing, [...listing.where, search.holds], rows),
  )
}

const ofList = ({ columns, from, order }: Listing, where: Listing['where'], rows: number): Sql =>
  sql`SELECT ${columns} FROM ${from} ${whereAll(...where)} ORDER BY ${order} LIMIT ${rows}`

const amongFirst = (
  { columns, from, order, where }: Listing,
  { holds }: TextSearch,
  of: number,
  rows: number,
): Sql =>
  sql`SELECT ${columns} FROM (SELECT * FROM ${from} ${whereAll(...where)} ORDER BY ${order} LIMIT ${of}) o
    WHERE ${holds} ORDER BY ${order} LIMIT ${rows}`

/** OFFSET 0 keeps the order of the list out of each part: the planner would walk along it where it takes the text for a frequent one. */
function byIndex(
  { columns, from, order, where }: Listing,
  { holds, decides }: TextSearch,
  parts: readonly Sql[],
  rows: number,
): Sql {
  const each = parts.map((part, n) => {
    const others = parts.slice(0, n).map((before) => sql`(${before}) IS NOT TRUE`)
    return sql`(SELECT * FROM ${from} ${whereAll(part, ...others)} OFFSET 0)`
  })
  return sql`SELECT ${columns} FROM (${join(each, ' UNION ALL ')}) o ${whereAll(...where, !decides && holds)} ORDER BY ${order} LIMIT ${rows}`
}
