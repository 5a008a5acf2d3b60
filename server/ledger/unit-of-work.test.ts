import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { GATEWAY } from '#domain/authority/caller.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { create } from './create.ts'
import { type Database, type Db, openDatabase } from './database.ts'
import type { Topic } from './topics.ts'

let test: TestDatabase
let database: Database
let sent: Topic[] = []

beforeAll(async () => {
  test = await createTestDatabase()
  database = openDatabase(test.url, { notify: (topic) => sent.push(topic) })
})
afterAll(async () => {
  await database.close()
  await test.drop()
})
beforeEach(() => {
  sent = []
})

const newAgent = (db: Db, slug: string) =>
  create(db, {
    machine: 'agent',
    actor: GATEWAY,
    values: {
      slug,
      name: slug,
      version: '1',
      model: 'extractive',
      definition: '{}',
      revision: 'r',
      sha256: 's',
    },
  })
const known = async (slug: string) =>
  (await database.query(sql`SELECT 1 FROM agent WHERE slug = ${slug}`)).rows.length > 0

describe('a unit of work', () => {
  it('joins the running transaction, so that one rollback takes back the whole', async () => {
    const nested = database.transaction(async (tx) => {
      await tx.transaction((inner) => newAgent(inner, 'inner'))
      throw new Error('outer')
    })
    await expect(nested).rejects.toThrow('outer')
    expect(await known('inner')).toBe(false)
  })

  it('is rolled back whole by a failure inside it, also by one that was caught', async () => {
    const caught = database.transaction(async (tx) => {
      await newAgent(tx, 'before')
      await tx.transaction(() => Promise.reject(new Error('inner'))).catch(() => undefined)
    })
    await expect(caught).rejects.toThrow('inner')
    const failed = database.transaction(async (tx) => {
      await newAgent(tx, 'before')
      await tx.query(sql`SELECT 1 / 0`).catch(() => undefined)
    })
    await expect(failed).rejects.toThrow('rolled back')
    expect(await known('before')).toBe(false)
    expect(sent).toEqual([])
  })

  it('announces after the commit, each topic once', async () => {
    await database.transaction(async (tx) => {
      await newAgent(tx, 'first')
      await newAgent(tx, 'second')
      expect(sent).toEqual([])
    })
    expect(sent).toEqual(['events'])
  })

  it('announces nothing that was rolled back, and nothing that did not happen', async () => {
    await newAgent(database, 'once')
    sent = []
    await database
      .transaction(async (tx) => {
        await newAgent(tx, 'gone')
        throw new Error('no')
      })
      .catch(() => undefined)
    await newAgent(database, 'once')
    expect(sent).toEqual([])
  })

  it('announces a change outside a transaction at once', async () => {
    await newAgent(database, 'alone')
    expect(sent).toEqual(['events'])
  })

  it('holds up nobody for long when its process hangs in the middle', async () => {
    await newAgent(database, 'hung')
    const touch = sql`UPDATE agent SET name = name || '!' WHERE slug = 'hung'`
    const hanging = openDatabase(test.url, { idleMs: 1_000 })
    const woken = hanging.transaction(async (tx) => {
      await tx.query(touch)
      // Waits for a lock that this very transaction has: only its end by the server lets it go on.
      await database.query(touch)
      return tx.query(touch)
    })
    await expect(woken).rejects.toThrow(/idle-in-transaction timeout|connection error|Connection terminated/)
    await hanging.close()
    const { rows } = await database.query(sql`SELECT name FROM agent WHERE slug = 'hung'`)
    expect(rows).toEqual([{ name: 'hung!' }])
  })
})
