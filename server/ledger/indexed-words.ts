import sql, { type Sql } from 'sql-template-tag'
import type { Db } from './database.ts'
import { patternOf } from './list.ts'

/** A trigram index narrows a search by so many letters or digits in a row. */
const RUN = 'xxx'

/**
 * Those of these words by which a trigram index finds rows; for any other it would be read as a whole, and the table with it. The locale of the
 * database decides what is a letter: with `C` those of ASCII alone. So the database is asked.
 */
export async function indexedWords(db: Pick<Db, 'query'>, words: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ letter: string }>(
    sql`SELECT c.letter FROM unnest(${[...new Set(words.join(''))]}::text[]) AS c(letter) WHERE cardinality(show_trgm(c.letter)) > 0`,
  )
  const letters = new Set(rows.map(({ letter }) => letter))
  const shape = (word: string) => [...word].map((one) => (letters.has(one) ? 'x' : ' ')).join('')
  return words.filter((word) => shape(word).includes(RUN))
}

type Sample = {
  /** Some rows `o`. */
  rows: Sql
  /** Whether a row holds what a pattern of LIKE means. */
  has: (pattern: Sql) => Sql
}

/**
 * Of indexed words the one for which to ask the index, which fewest of the sample hold; null where there are none. The others are looked for in what it
 * gives: the index has a list for each three letters, and those of a frequent word are as long as the table.
 */
export async function rarestWord(
  db: Pick<Db, 'query'>,
  indexed: readonly string[],
  { rows, has }: Sample,
): Promise<string | null> {
  if (indexed.length < 2) return indexed[0] ?? null
  const found = await db.query<{ n: number }>(sql`WITH sample AS MATERIALIZED (${rows})
    SELECT w.n FROM unnest(${indexed.map(patternOf)}::text[]) WITH ORDINALITY AS w(pattern, n)
    ORDER BY (SELECT count(*) FROM sample o WHERE ${has(sql`w.pattern`)}), length(w.pattern) DESC LIMIT 1`)
  return indexed[(found.rows[0]?.n ?? 1) - 1] ?? null
}
