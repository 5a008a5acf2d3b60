import canonicalize from 'canonicalize'
import fc from 'fast-check'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from './database.ts'
import { recordEvent } from './record-event.ts'

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

/** What `jsonb` can hold: texts without NUL and without half a surrogate pair. */
const text = fc
  .oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u007f\u0080é\ud83d\ude00\ufb33', ': ", "', '\\"\n\u001f'),
  )
  .map((value) => value.replaceAll('\0', '').toWellFormed())
const { document } = fc.letrec<{ document: unknown; object: Record<string, unknown> }>((tie) => ({
  document: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('document'), { maxLength: 5 }),
    tie('object'),
  ),
  object: fc.dictionary(text, tie('document'), { maxKeys: 6 }),
}))

async function canonicalInSql(value: unknown): Promise<string> {
  const { rows } = await database.query<{ made: string }>(
    sql`SELECT bloom_canonical(${JSON.stringify(value)}::jsonb) AS made`,
  )
  return rows[0]?.made ?? ''
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('the bytes of an event', () => {
  it('are RFC 8785 for any document', async () => {
    await fc.assert(
      fc.asyncProperty(document, async (value) => {
        expect(await canonicalInSql(value)).toBe(canonicalize(plain(value)))
      }),
      { numRuns: 1_000 },
    )
  })

  it('hold numbers as ECMAScript prints them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 50 }),
        async (numbers) => {
          expect(await canonicalInSql(numbers)).toBe(canonicalize(plain(numbers)))
        },
      ),
      { numRuns: 300 },
    )
    const known = [
      0,
      -0,
      1e21,
      1e20,
      123456789012345680000,
      1e-6,
      1e-7,
      5e-324,
      1.7976931348623157e308,
      0.1,
      -1.5,
      2 ** 53,
      100,
      1e15,
      1e16,
      1e23,
      2 ** 60,
      -9007199254740992,
    ]
    expect(await canonicalInSql(known)).toBe(canonicalize(known))
  })

  it('order members by UTF-16 code units', async () => {
    const keys = [
      '\ufb33',
      '\ud83d\ude00',
      '\u20ac',
      '\r',
      '1',
      '\u00f6',
      '\u0080',
      '10',
      'aa',
      'b',
      '\ue000',
      '\uffff',
      '\u{10ffff}',
    ]
    const value = Object.fromEntries(keys.map((key, n) => [key, n]))
    expect(await canonicalInSql(value)).toBe(canonicalize(value))
  })

  it('are those of any other document where an object is put in order without a query', async () => {
    for (const value of [
      { fence: 3, attempt: 0 },
      { b: true, ab: null, a: -1 },
      { 'a: ': 1, b: 2 },
      { 'a!': 1, a: 2 },
      { 'a b': 1, a: 2 },
      { only: 1 },
      { c: 1, b: 2, a: 3 },
      { 'a, "b': 1, c: 2 },
      { a: ', ', b: ': ' },
      { c: 'x, "ґ"', b: 'x, ї', a: 1 },
      { c: 'x, ї', b: 1 },
      { b: ': x', a: 1, c: '' },
      { b: 'a line\nand a \\ "', a: 1 },
      { bytes: 617, type: 'RESEARCH_BRIEF', note: 'сад {[]}!', ab: null, a: false },
      { a: 1234567890123456, b: -999999999999999 },
      { 'a-b': 1, a: 2, ї: 3, _: 4, A: 5 },
      { b: 'x'.repeat(400), a: 1 },
      { a: 12345678901234567000, b: 1 },
      { a: { b: 1 } },
      { a: [1, 2], b: 1 },
      { a: 1.5 },
    ]) {
      expect(await canonicalInSql(value)).toBe(canonicalize(plain(value)))
    }
  })

  it('hold what is in the row, ids at the top, without what is absent', async () => {
    await fc.assert(
      fc.asyncProperty(
        text,
        text,
        fc.dictionary(text, document, { maxKeys: 4 }),
        async (id, reason, details) => {
          await recordEvent(database, {
            name: 'access.refused',
            actor: { role: 'anonymous', identity: id, via: 'api' },
            resource: { type: 'endpoint', id },
            outcome: 'refused',
            errorCode: 'FORBIDDEN',
            reason,
            refs: { job_id: id, agent: 'a', elsewhere: id },
            details,
          })
          const { rows } = await database.query<{ event_id: string; ts: Date; node: string; body: string }>(
            sql`SELECT event_id, ts, node, body FROM event ORDER BY id DESC LIMIT 1`,
          )
          const { event_id, ts, node, body } = rows[0] as (typeof rows)[0]
          expect(body).toBe(
            canonicalize({
              event_id,
              node,
              ts: ts.toISOString(),
              event: 'access.refused',
              ...{
                actor: id,
                actor_role: 'anonymous',
                via: 'api',
                outcome: 'refused',
                error_code: 'FORBIDDEN',
                reason,
              },
              resource: { type: 'endpoint', id },
              agent: 'a',
              job_id: id,
              refs: { elsewhere: id },
              details: plain(details),
            }),
          )
        },
      ),
      { numRuns: 200 },
    )
  })

  it('are made by the ledger: an event that brings its own is refused', async () => {
    await expect(
      database.query(
        sql`INSERT INTO event (name, actor, actor_role, resource_type, resource_id, body) VALUES ('x', 'x', 'x', 'x', 'x', '{}')`,
      ),
    ).rejects.toThrow('are made by the ledger')
  })
})

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const timeOf = (ulid: string): number =>
  [...ulid.slice(0, 10)].reduce((time, digit) => time * DIGITS.length + DIGITS.indexOf(digit), 0)

describe('the id of an event', () => {
  it('is a ULID of its millisecond, and no two are alike', async () => {
    const { rows } = await database.query<{ ulid: string; before: number; after: number }>(
      sql`SELECT new_ulid() AS ulid, trunc(extract(epoch FROM statement_timestamp()) * 1000)::float8 AS before,
        extract(epoch FROM clock_timestamp())::float8 * 1000 AS after FROM generate_series(1, 2000)`,
    )
    for (const { ulid, before, after } of rows) {
      expect(ulid).toMatch(new RegExp(`^[${DIGITS}]{26}$`))
      expect(timeOf(ulid)).toBeGreaterThanOrEqual(before)
      expect(timeOf(ulid)).toBeLessThanOrEqual(after)
    }
    expect(new Set(rows.map(({ ulid }) => ulid)).size).toBe(rows.length)
  })
})
