/** Jobs by a part of their question or the beginning of their id. */
import sql, { join, type Sql } from 'sql-template-tag'
import { z } from 'zod'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { patternOf } from '#server/ledger/list.ts'
import type { TextSearch } from '#server/ledger/list-page.ts'
import { states } from '#server/ledger/states.ts'

/** Those whose titles the trigram index `job_words` holds; the others are few, and found by their state. */
const IN_WORDS: readonly JobState[] = ['COMPLETE', 'FAILED', 'DEAD']
const statesAre = (are: readonly JobState[]): Sql =>
  sql`o.status IN ${states(jobMachine, ...(are as [JobState, ...JobState[]]))}`
const ENDED = statesAre(IN_WORDS)
const MOVING = statesAre(jobMachine.states.filter((state) => !IN_WORDS.includes(state)))

const LOWEST = '00000000-0000-0000-0000-000000000000'
const HIGHEST = LOWEST.replaceAll('0', 'f')
const ID_LETTERS = 4

/** The ids that begin so, as a range: the column is no text. */
function named(text: string): Sql[] {
  const [first = '', last = ''] = [LOWEST, HIGHEST].map((id) => text + id.slice(text.length))
  return text.length >= ID_LETTERS && z.guid().safeParse(first).success
    ? [sql`o.job_id BETWEEN ${first}::uuid AND ${last}::uuid`]
    : []
}

const titled = (pattern: Sql): Sql => sql`o.title ILIKE ${pattern}`

/** Whether a job `o` is meant by the text. */
export const holds = (text: string): Sql =>
  sql`(${join([titled(sql`${patternOf(text)}`), ...named(text)], ' OR ')})`

export const jobSearch = (text: string): TextSearch => ({
  words: text.split(/\s+/),
  has: titled,
  holds: holds(text),
  indexed: (word) => {
    if (word === null) return null
    const has = titled(sql`${patternOf(word)}`)
    return [sql`${ENDED} AND ${has}`, sql`${MOVING} AND ${has}`, ...named(text)]
  },
})
