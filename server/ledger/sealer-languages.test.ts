import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from './database.ts'

/**
 * What PostgreSQL calls a line of a function, and the statement there that is none of the language itself, in its catalogues. `%f` is the
 * function, `%l` the line, `%s` the statement; the order differs.
 */
const LANGUAGES = {
  de: ['PL/pgSQL-Funktion %f Zeile %l bei %s', 'SQL-Anweisung'],
  el: ['συνάρτηση PL/pgSQL %f γραμμή %l στο %s', 'SQL δήλωση'],
  en: ['PL/pgSQL function %f line %l at %s', 'SQL statement'],
  fr: ['fonction PL/pgSQL %f, ligne %l à %s', 'instruction SQL'],
  ja: ['PL/pgSQL関数%fの%l行目 - %s', 'SQL ステートメント'],
  ko: ['PL/pgSQL 함수 "%f" 의 %l번째 %s', 'SQL 문'],
  tr: ['%f PL/pgSQL fonksiyonu, %l. satır, %s içinde', 'SQL ifadesi'],
  uk: ['Функція PL/pgSQL %f рядок %l в %s', 'SQL-оператор'],
  zh: ['在%s的第%l行的PL/pgSQL函数%f', 'SQL语句'],
} as const
type Language = keyof typeof LANGUAGES

let test: TestDatabase
let database: Database
beforeAll(async () => {
  test = await createTestDatabase()
  database = openDatabase(test.url)
})
afterAll(async () => {
  await database?.close()
  await test?.drop()
})

const frameOf = (language: Language, name: string, line: number, statement: string) =>
  LANGUAGES[language][0].replace('%f', name).replace('%l', String(line)).replace('%s', statement)
const ownFrame = (language: Language, name = 'sealer_only()') => frameOf(language, name, 4, 'GET DIAGNOSTICS')
const callerFrame = (language: Language, caller: string) =>
  frameOf(language, caller, 44, LANGUAGES[language][1])

async function isSealer(...stack: string[]): Promise<boolean> {
  const { rows } = await database.query<{ sealer: boolean }>(
    sql`SELECT sealer_calls(${stack.join('\n')}) AS sealer`,
  )
  return rows[0]?.sealer === true
}

describe.each(Object.keys(LANGUAGES) as Language[])('the sealer, where the server speaks %s', (language) => {
  const own = ownFrame(language)
  const statement = 'SQL "INSERT INTO event_seal (seq)\n    SELECT * FROM unnest(seqs)"'

  it.each(['bloom_seal(integer)', 'public.bloom_seal(integer)'])('is known as %s', async (name) => {
    expect(await isSealer(own, statement, callerFrame(language, name))).toBe(true)
    expect(await isSealer(ownFrame(language, 'public.sealer_only()'), callerFrame(language, name))).toBe(true)
  })

  it.each([
    'inline_code_block',
    'other.bloom_seal(integer)',
    'pg_temp_3.bloom_seal(integer)',
    'my_bloom_seal(integer)',
    'bloom_seal(bigint)',
    'bloom_seal()',
    '"bloom_seal(integer)"()',
    '"a bloom_seal(integer) line 1 at x"()',
  ])('is not %s', async (name) => {
    expect(await isSealer(own, statement, callerFrame(language, name))).toBe(false)
  })

  it('is not a writer outside of every function, nor one that only names it', async () => {
    const sealer = callerFrame(language, 'bloom_seal(integer)')
    expect(await isSealer(own)).toBe(false)
    expect(await isSealer(sealer)).toBe(false)
    expect(await isSealer(own, 'SQL function "bloom_seal(integer)" statement 1')).toBe(false)
    expect(await isSealer(own, `SQL function "\n${sealer}" statement 1`)).toBe(false)
    expect(await isSealer(own, sealer, callerFrame(language, 'inline_code_block'))).toBe(false)
  })
})
