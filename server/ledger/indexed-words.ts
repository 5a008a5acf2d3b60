import sql from 'sql-template-tag'
import type { Db } from './database.ts'

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
