import { createHash } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { GATEWAY } from '#domain/authority/caller.ts'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { type Database, type Db, openDatabase } from './database.ts'
import { recordEvent } from './record-event.ts'
import { lastSeal, sealAll, sealBatch, sealedAfter } from './seal.ts'

const closing: (() => Promise<void>)[] = []
let database: Database
let workerUrl: string
beforeEach(async () => {
  const test = await createTestDatabase()
  database = openDatabase(test.url)
  workerUrl = test.workerUrl
  const mine = database
  closing.push(async () => {
    await mine.close()
    await test.drop()
  })
})
afterAll(async () => {
  for (const close of closing) await close()
})

const addEvent = (db: Db, id: string) =>
  recordEvent(db, { name: 'config.changed', actor: GATEWAY, resource: { type: 'setting', id } })

/** A transaction that stays open until the test ends it. */
async function openTransaction(work: (tx: Db) => Promise<void>) {
  let end: (how: 'commit' | 'rollback') => void = () => {}
  const verdict = new Promise<'commit' | 'rollback'>((resolve) => {
    end = resolve
  })
  let begun: () => void = () => {}
  const ready = new Promise<void>((resolve) => {
    begun = resolve
  })
  const done = database
    .transaction(async (tx) => {
      await work(tx)
      begun()
      if ((await verdict) === 'rollback') throw new Error('rolled back')
    })
    .catch(() => {})
  await ready
  return {
    async end(how: 'commit' | 'rollback') {
      end(how)
      await done
    },
  }
}

const sealedNames = async () => (await sealedAfter(database, 0, 1_000)).map((e) => e.resource_id)

/** Every event that exists is sealed once, the numbers are dense, each hash follows from the one before and the exact bytes. */
async function verify(): Promise<void> {
  const { rows } = await database.query<{ seq: number; prev_hash: Buffer; hash: Buffer; body: string }>(
    sql`SELECT s.seq, s.prev_hash, s.hash, e.body FROM event_seal s JOIN event e ON e.id = s.event ORDER BY s.seq`,
  )
  let previous = Buffer.alloc(32)
  rows.forEach((row, n) => {
    expect(row.seq).toBe(n + 1)
    expect(row.prev_hash.equals(previous)).toBe(true)
    const hash = createHash('sha256').update(previous).update(row.body).digest()
    expect(row.hash.equals(hash)).toBe(true)
    previous = hash
  })
  const { rows: unsealed } = await database.query(
    sql`SELECT id FROM event e WHERE NOT EXISTS (SELECT 1 FROM event_seal s WHERE s.event = e.id)`,
  )
  expect(unsealed).toEqual([])
}

describe('sealing', () => {
  it('numbers densely in batches and chains the exact bytes', async () => {
    for (let n = 0; n < 25; n++) await addEvent(database, `e${n}`)
    expect(await sealBatch(database, 10)).toBe(10)
    expect(await sealAll(database)).toBe(15)
    expect(await sealAll(database)).toBe(0)
    expect(await lastSeal(database)).toBe(25)
    await verify()
  })

  it('takes an event with a low id whose transaction commits late', async () => {
    const late = await openTransaction((tx) => addEvent(tx, 'late'))
    for (let n = 0; n < 5; n++) {
      await addEvent(database, `early${n}`)
      await sealAll(database)
    }
    expect(await sealedNames()).not.toContain('late')
    await late.end('commit')
    await sealAll(database)
    expect((await sealedNames()).at(-1)).toBe('late')
    await verify()
  })

  it('takes a late event when it is asked by a transaction that is older than that one', async () => {
    const late = await database.transaction(async (tx) => {
      await addEvent(tx, 'old')
      const later = await openTransaction((other) => addEvent(other, 'late'))
      await addEvent(database, 'high')
      await sealBatch(tx)
      return later
    })
    for (let n = 0; n < 4; n++) await sealAll(database)
    await late.end('commit')
    await sealAll(database)
    expect(await sealedNames()).toEqual(['old', 'high', 'late'])
    await verify()
  })

  it('takes the late event of a transaction that took its id before anything else of it was seen', async () => {
    const late = await openTransaction(async (tx) => {
      await tx.query(sql`SELECT pg_current_xact_id()`)
    })
    await addEvent(database, 'between')
    for (let n = 0; n < 4; n++) await sealAll(database)
    await late.end('commit')
    const later = await openTransaction((tx) => addEvent(tx, 'low'))
    await addEvent(database, 'high')
    for (let n = 0; n < 4; n++) await sealAll(database)
    await later.end('commit')
    await sealAll(database)
    expect(await sealedNames()).toEqual(['between', 'high', 'low'])
    await verify()
  })

  it('leaves no hole for a transaction that is rolled back', async () => {
    await addEvent(database, 'before')
    const gone = await openTransaction((tx) => addEvent(tx, 'gone'))
    await addEvent(database, 'after')
    await sealAll(database)
    await gone.end('rollback')
    await addEvent(database, 'last')
    await sealAll(database)
    expect(await sealedNames()).toEqual(['before', 'after', 'last'])
    await verify()
  })

  it('takes the event of a transaction that began last and has the lowest id', async () => {
    let proceed = () => {}
    const asked = new Promise<void>((resolve) => {
      proceed = resolve
    })
    let numbered = () => {}
    const elder = new Promise<void>((resolve) => {
      numbered = resolve
    })
    const first = database.transaction(async (tx) => {
      await tx.query(sql`SELECT pg_current_xact_id()`)
      numbered()
      await asked
      await addEvent(tx, 'elder, higher id')
    })
    await elder
    const younger = await openTransaction((tx) => addEvent(tx, 'younger, lowest id'))
    proceed()
    await first
    for (let n = 0; n < 4; n++) await sealAll(database)
    await younger.end('commit')
    await sealAll(database)
    expect(await sealedNames()).toEqual(['elder, higher id', 'younger, lowest id'])
    await verify()
  })

  it('does not look again at what it has sealed while there is more', async () => {
    const low = async () =>
      (await database.query<{ low: number }>(sql`SELECT low FROM event_head`)).rows[0]?.low ?? 0
    for (let n = 0; n < 10; n++) await addEvent(database, `first-${n}`)
    // Every batch is full. Transactions of other databases on this server hold the mark back as well, so this goes on until they have ended.
    while ((await low()) === 0) {
      for (let n = 0; n < 6; n++) await addEvent(database, `more-${n}`)
      expect(await sealBatch(database, 5)).toBe(5)
    }
    await sealAll(database)
    await verify()
  })

  it('is the only one who may write seals and the head', async () => {
    await addEvent(database, 'a')
    await sealAll(database)
    for (const forged of [
      sql`INSERT INTO event_seal (seq, event, prev_hash, hash) SELECT seq + 1, event + 1, hash, hash FROM event_seal`,
      sql`UPDATE event_head SET seq = 0`,
      sql`DELETE FROM event_head`,
      sql`INSERT INTO event_head DEFAULT VALUES`,
      sql`DO $$ BEGIN
PERFORM 'PL/pgSQL function bloom_seal(integer) line 1 at SQL statement'; UPDATE event_head SET seq = 0; END $$`,
    ])
      await expect(database.query(forged)).rejects.toThrow('is written by the sealer alone')
    await expect(database.query(sql`TRUNCATE event_head`)).rejects.toThrow('append-only')
    await expect(database.query(sql`TRUNCATE event_seal`)).rejects.toThrow('append-only')
    await verify()
  })

  it('needs no right to write of whoever asks it', async () => {
    await addEvent(database, 'a')
    const worker = openDatabase(workerUrl)
    try {
      expect(await sealBatch(worker)).toBe(1)
      await expect(worker.query(sql`UPDATE event_head SET seq = 0`)).rejects.toThrow('permission denied')
    } finally {
      await worker.close()
    }
  })

  describe('that is interrupted in the middle of its reading', () => {
    /** Lets the sealer wait at the event `slow` until the test has changed the world; returns when it has sealed. */
    async function sealInterrupted(meanwhile: () => Promise<void>): Promise<void> {
      await database.query(
        sql`ALTER FUNCTION bloom_seal(integer) SET search_path = public, pg_catalog, pg_temp`,
      )
      await database.query(sql`CREATE FUNCTION public.sha256(bytes bytea) RETURNS bytea LANGUAGE plpgsql AS $$ BEGIN
        IF convert_from(substr(bytes, 33), 'UTF8') LIKE '%"slow"%' THEN PERFORM pg_advisory_xact_lock(7); END IF;
        RETURN pg_catalog.sha256(bytes); END $$`)
      const gate = await openTransaction(async (tx) => {
        await tx.query(sql`SELECT pg_advisory_xact_lock(7)`)
      })
      await addEvent(database, 'slow')
      const sealing = sealBatch(database)
      await waitUntil(async () => {
        const { rows } = await database.query(
          sql`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        )
        return rows.length > 0
      })
      await meanwhile()
      await gate.end('commit')
      await sealing
    }

    it('does not take for sealed what ended after it had read', async () => {
      const late = await openTransaction((tx) => addEvent(tx, 'late'))
      await addEvent(database, 'marked')
      await sealAll(database)
      await sealInterrupted(() => late.end('commit'))
      await sealAll(database)
      expect(await sealedNames()).toEqual(['marked', 'slow', 'late'])
      await verify()
    })

    it('does not mark beyond what was there when it began', async () => {
      let low: Awaited<ReturnType<typeof openTransaction>> | undefined
      await sealInterrupted(async () => {
        low = await openTransaction((tx) => addEvent(tx, 'low'))
        await addEvent(database, 'high')
      })
      for (let n = 0; n < 4; n++) await sealAll(database)
      await low?.end('commit')
      await sealAll(database)
      expect(await sealedNames()).toEqual(['slow', 'high', 'low'])
      await verify()
    })
  })

  it('knows that an event is written by a numbered transaction, whoever writes', async () => {
    const { rows } = await database.query<{ before_rows: boolean }>(
      sql`SELECT (tgtype & 1) = 0 AND (tgtype & 2) <> 0 AS before_rows FROM pg_trigger WHERE tgrelid = 'event'::regclass AND tgname = 'event_numbered' AND tgenabled = 'O'`,
    )
    expect(rows).toEqual([{ before_rows: true }])
  })

  it('loses nothing and repeats nothing with writers, rollbacks and four sealers at once', async () => {
    let writing = true
    const sealers = Array.from({ length: 4 }, async () => {
      while (writing) await sealBatch(database, 7)
    })
    const writers = Array.from({ length: 8 }, async (_, w) => {
      for (let n = 0; n < 40; n++) {
        const fails = (w + n) % 5 === 0
        await database
          .transaction(async (tx) => {
            await addEvent(tx, `w${w}-${n}-a`)
            await addEvent(tx, `w${w}-${n}-b`)
            if (fails) throw new Error('rolled back')
          })
          .catch(() => {})
      }
    })
    await Promise.all(writers)
    writing = false
    await Promise.all(sealers)
    await sealAll(database)
    expect(await lastSeal(database)).toBe(8 * 40 * 2 - 8 * 8 * 2)
    await verify()
  })
})
