import { createHash } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GATEWAY } from '#domain/authority/caller.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { boundedDetails } from './bounded-details.ts'
import { create } from './create.ts'
import { type Database, openDatabase } from './database.ts'
import { json } from './event-fields.ts'
import { recordEvent } from './record-event.ts'
import { transition } from './transition.ts'

let test: TestDatabase
let database: Database
beforeAll(async () => {
  test = await createTestDatabase()
  database = openDatabase(test.workerUrl)
})
afterAll(async () => {
  await database?.close()
  await test?.drop()
})

type Details = Record<string, unknown>
let recordings = 0
async function recorded(details: Details): Promise<Details> {
  const id = `d-${++recordings}`
  await recordEvent(database, {
    name: 'config.changed',
    actor: GATEWAY,
    resource: { type: 'setting', id },
    details,
  })
  const { rows } = await database.query<{ details: Details }>(
    sql`SELECT details FROM event WHERE resource_id = ${id}`,
  )
  return rows[0]?.details ?? {}
}

async function lengthInLedger(details: Details): Promise<number> {
  const { rows } = await database.query<{ n: number }>(
    sql`SELECT octet_length((${json(details)})::text) AS n`,
  )
  return rows[0]?.n ?? 0
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const PATHS = Array.from({ length: 40 }, (_, n) => `${'тека/'.repeat(90)}${n}.md`)

describe('what an event says', () => {
  it('stands in it as it was given, up to what the ledger takes', async () => {
    const given = { text: 'слово '.repeat(1_480), flag: true, none: null }
    expect(await recorded(given)).toEqual(given)
  })

  it('is a number and a digest where it is a list that is too long, beside all that is short', async () => {
    const short = { minutes: 60, tags: ['a', 'b'], suggestions: false }
    expect(await recorded({ folders: PATHS, ...short })).toEqual({
      ...short,
      folders: { count: PATHS.length, sha256: sha256(JSON.stringify(PATHS)) },
    })
    const many = Array.from({ length: 4_000 }, (_, n) => `n-${n}`)
    expect(await recorded({ many })).toEqual({
      many: { count: many.length, sha256: sha256(JSON.stringify(many)), first: many.slice(0, 5) },
    })
  })

  it('is its length and a digest where it is a long text, and the members of a long object', async () => {
    const [text, features] = ['я'.repeat(9_000), Object.fromEntries(PATHS.map((path, n) => [`f${n}`, path]))]
    const found = await recorded({ text, features, name: 'node' })
    expect(found).toMatchObject({
      text: { characters: 9_000, sha256: sha256(JSON.stringify(text)) },
      features: { count: PATHS.length },
      name: 'node',
    })
  })

  it('shortens the longest and no more than it must', async () => {
    const [longer, shorter] = [PATHS, PATHS.slice(0, 8)]
    expect(await recorded({ shorter, longer })).toMatchObject({ shorter, longer: { count: 40 } })
  })

  it('leaves the record as it is, whatever else is said', async () => {
    const record = { relations: PATHS.slice(0, 14), version: 3 }
    expect(await recorded({ record, paths: PATHS.slice(0, 10) })).toMatchObject({
      record,
      paths: { count: 10 },
    })
    const members = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`m${n}`, n]))
    expect(await recorded({ ...members, record })).toEqual({
      record,
      omitted: { count: 3_000, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
  })

  it('leaves room for the record that a transition adds', async () => {
    const inboxId = 'in-bounded'
    await create(database, {
      machine: 'inbox_entry',
      actor: GATEWAY,
      details: { paths: PATHS.slice(0, 15) },
      values: {
        ...{
          inbox_id: inboxId,
          source_type: 'ui',
          source_identity: 'owner',
          action: 'create_note',
          target: 'a.md',
        },
        ...{
          payload: json({}),
          body_digest: 'd',
          correlation_id: 'c',
          expires_at: sql`now() + interval '1 day'`,
        },
      },
    })
    const reason = 'r'.repeat(7_000)
    await transition(database, {
      machine: 'inbox_entry',
      event: 'refuse',
      actor: GATEWAY,
      where: sql`o.inbox_id = ${inboxId}`,
      set: sql`reason_code = 'VALIDATION_FAILED', reason = ${reason}`,
      details: { paths: PATHS.slice(0, 15) },
      returning: ['inbox_id'],
    })
    const { rows } = await database.query<{ details: Details }>(
      sql`SELECT details FROM event WHERE resource_id = ${inboxId} ORDER BY id`,
    )
    expect(rows.map(({ details }) => details)).toMatchObject([
      { paths: { count: 15 }, record: { received_at: expect.any(String) } },
      { paths: { count: 15 }, record: { reason } },
    ])
  })

  it.each<[string, Details]>([
    ['numbers', { a: 1e300, b: 1.5e-7, c: 123_456_789, d: [1, 2, 3], e: -0.25, f: 1e21 }],
    ['texts', { quote: '"\\/\n\t\u0001', кирилиця: 'ї', emoji: '🌱', '': '' }],
    ['nothing', { none: null, empty: {}, list: [], no: false, yes: true }],
    ['nests', { a: { b: [{ c: [[]] }, {}] }, z: [[1, [2, { three: 3 }]]] }],
  ])('is measured as the ledger writes it: %s', async (_, details) => {
    const bytes = await lengthInLedger(details)
    const measured = (room: number) => boundedDetails(details, room)
    // Numbers with exponents are taken for their longest.
    const slack = (JSON.stringify(details).match(/\de[+-]?\d/g) ?? []).length * 330
    expect(measured(bytes + slack)).toEqual(details)
    expect(measured(bytes - 1)).not.toEqual(details)
  })
})
