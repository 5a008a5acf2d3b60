/**
 * Objects of one kind that a text means, the best first. Every statement is bounded, whatever is searched for:
 *
 * 1. by id, by state, and by words among the newest rows, each along an index and cut before it is looked into;
 * 2. only where that found too few and an index narrows one of the words, by words among all rows, along the trigram index of the kind.
 *
 * A word that many rows hold is found by the first; for one that few hold, the second reads few.
 */
import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import { rarestWord } from '#server/ledger/indexed-words.ts'
import { patternOf } from '#server/ledger/list.ts'
import { states } from '#server/ledger/states.ts'
import { type SearchTerms, statesAmong, statesNamed } from './search-terms.ts'
import type { SearchedKind } from './searched-kinds.ts'

export type FoundRow = {
  id: string
  title: string
  detail: string | null
  status: string | null
  paths: string[] | null
}

/** Of the newest rows, and of the newest in a state, so many are looked into. */
const NEWEST = 2_000
/** Of the rows that an index gives, so many are put in order. */
const MOST_INDEXED = 500
/** Rows by which words are compared. */
const SAMPLE = 250

/** What was typed, and which of its words a trigram index narrows. */
export type LedgerTerms = SearchTerms & { indexed: readonly string[] }

/** At most `limit` rows. */
export async function findInLedger(
  db: Db,
  kind: SearchedKind,
  terms: LedgerTerms,
  limit: number,
): Promise<FoundRow[]> {
  const first = await rowsOf(db, [
    ...kind.named(terms).map((is) => chosen(kind, is, limit)),
    ...stated(kind, terms).map((is) => chosen(kind, is, limit)),
    among(kind, { where: empty, of: NEWEST, match: matches(kind, terms), limit }),
    ...stateWalks(kind, terms, limit),
  ])
  const asked = first.length < limit ? await askedWord(db, kind, terms) : null
  const more = asked === null ? [] : await rowsOf(db, further(kind, terms, { asked, limit }))
  const found = distinct([...first, ...more])
  return found.slice(0, limit)
}

/** The rows of these ids, in no order. */
export const rowsById = (db: Db, kind: SearchedKind, ids: readonly string[]): Promise<FoundRow[]> =>
  rowsOf(db, [sql`SELECT ${kind.shown} FROM (${kind.rows} WHERE ${kind.isOneOf(ids)}) o`])

async function rowsOf(db: Db, parts: readonly Sql[]): Promise<FoundRow[]> {
  const { rows } = await db.query<FoundRow>(
    join(
      parts.map((part) => sql`(${part})`),
      ' UNION ALL ',
    ),
  )
  return distinct(rows)
}

const distinct = (rows: readonly FoundRow[]): FoundRow[] =>
  [...new Map(rows.toReversed().map((row) => [row.id, row])).values()].toReversed()

/** The newest rows of which this is true, where an index answers it. */
const chosen = ({ shown, rows, newest }: SearchedKind, is: Sql, limit: number): Sql =>
  sql`SELECT ${shown} FROM (${rows} WHERE ${is} ORDER BY ${newest} LIMIT ${limit}) o`

type Part = { where: Sql; of: number; match: Sql; limit: number }

/** Of the newest rows those that match. */
const among = ({ shown, rows, newest }: SearchedKind, { where, of, match, limit }: Part): Sql =>
  sql`SELECT ${shown} FROM (${rows} ${where} ORDER BY ${newest} LIMIT ${of}) o WHERE ${match} ORDER BY ${newest} LIMIT ${limit}`

const inState = (kind: SearchedKind, name: string): Sql | null =>
  kind.machine && sql`o.status IN ${states(kind.machine, name)}`

/** The states that the whole text names in the reader's language. */
const stated = (kind: SearchedKind, { states: named }: SearchTerms): Sql[] =>
  statesAmong(kind.machine, named).flatMap((name) => inState(kind, name) ?? [])

/** Rows of a state that a word names, along the index of states: they may be older than the newest of all. */
function stateWalks(kind: SearchedKind, terms: SearchTerms, limit: number): Sql[] {
  const named = new Set(terms.words.flatMap((word) => statesNamed(kind.machine, word)))
  return [...named].flatMap((name) => {
    const is = inState(kind, name)
    return is
      ? [among(kind, { where: sql`WHERE ${is}`, of: NEWEST, match: matches(kind, terms), limit })]
      : []
  })
}

/** Each word is a part of a text, or of the name of the state. */
const matches = (kind: SearchedKind, { words }: SearchTerms): Sql =>
  join(
    words.map((word) => {
      const [name, ...names] = statesNamed(kind.machine, word)
      const isState = name && kind.machine ? [sql`o.status IN ${states(kind.machine, name, ...names)}`] : []
      return sql`(${join([...isState, holds(kind, sql`${patternOf(word)}`)], ' OR ')})`
    }),
    ' AND ',
  )

/** Whether a text of a row holds what a pattern of LIKE means. */
const holds = ({ texts }: SearchedKind, pattern: Sql): Sql =>
  sql`(${join(
    texts.map((text) => sql`${text} ILIKE ${pattern}`),
    ' OR ',
  )})`

/** The word for which the trigram index of the kind is asked. */
async function askedWord(db: Db, kind: SearchedKind, { indexed }: LedgerTerms): Promise<string | null> {
  if (kind.indexed === 'none') return null
  const rows = sql`${kind.rows} ORDER BY ${kind.newest} LIMIT ${SAMPLE}`
  return rarestWord(db, indexed, { rows, has: (pattern) => holds(kind, pattern) })
}

/** By words alone, among all rows: along the trigram index, and where that holds some states only, among the newest of each other one. */
function further(
  kind: SearchedKind,
  { words }: LedgerTerms,
  { asked, limit }: { asked: string; limit: number },
): Sql[] {
  const has = (word: string) => holds(kind, sql`${patternOf(word)}`)
  const all = join(words.map(has), ' AND ')
  const [state, ...others] = kind.indexed === 'all' || kind.indexed === 'none' ? [] : kind.indexed
  const ofIndex = state && kind.machine ? [sql`o.status IN ${states(kind.machine, state, ...others)}`] : []
  const moving =
    ofIndex.length > 0 ? (kind.machine?.states.filter((name) => !kind.indexed.includes(name)) ?? []) : []
  return [
    // OFFSET 0: no other word is looked for in the index.
    sql`SELECT ${kind.shown} FROM (SELECT * FROM (${kind.rows} WHERE ${join([...ofIndex, has(asked)], ' AND ')} OFFSET 0) o
        WHERE ${all} LIMIT ${MOST_INDEXED}) o ORDER BY ${kind.newest} LIMIT ${limit}`,
    ...moving.flatMap((name) => {
      const is = inState(kind, name)
      return is ? [among(kind, { where: sql`WHERE ${is}`, of: NEWEST, match: all, limit })] : []
    }),
  ]
}
