import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GATEWAY } from '#domain/authority/caller.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { openReads, type Reads } from '#server/ledger/prisma.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { consume } from '#server/outbox/consume.ts'
import { auditKey, projectEvents } from '#server/outbox/project-events.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { getEvent } from './get-event.query.ts'
import { listEvents, listHistory } from './list-events.query.ts'
import { verifyChain } from './verify-chain.ts'

let test: TestDatabase
let database: Database
let reads: Reads
let store: ObjectStore
let folder: string

beforeAll(async () => {
  test = await createTestDatabase()
  database = openDatabase(test.url)
  reads = openReads(database)
  folder = await mkdtemp(path.join(tmpdir(), 'audit-'))
  store = await openDirectoryStore(folder)
  for (let n = 0; n < 30; n++) {
    await recordEvent(database, {
      name: n % 3 === 0 ? 'auth.login' : 'access.refused',
      actor: GATEWAY,
      resource: { type: 'session', id: `s-${n % 5}` },
      outcome: n % 3 === 0 ? 'ok' : 'refused',
      details: { n, text: 'Очікує ‘рішення’ "так"' },
    })
  }
  await sealAll(database)
})

afterAll(async () => {
  await reads?.$disconnect()
  await database?.close()
  await test?.drop()
  await rm(folder, { recursive: true, force: true })
})

const project = () =>
  consume(database, {
    name: 'projector',
    holder: 'test',
    handle: (events) => projectEvents({ db: database, store, projectRun: async () => {} }, events),
  })

/** A change that the triggers refuse, done by whoever owns the database: what verification is there to find. */
async function tamper(
  change: ReturnType<typeof sql>,
  undo: ReturnType<typeof sql>,
  check: () => Promise<void>,
) {
  await database.transaction(async (tx) => {
    await tx.query(sql`SET LOCAL session_replication_role = replica`)
    await tx.query(change)
  })
  try {
    await check()
  } finally {
    await database.transaction(async (tx) => {
      await tx.query(sql`SET LOCAL session_replication_role = replica`)
      await tx.query(undo)
    })
  }
}

describe('the audit', () => {
  it('pages through every event once, newest first', async () => {
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await listEvents({ db: database, reads }, { limit: 7, ...(cursor ? { cursor } : {}) })
      seen.push(...page.items.map((e) => e.event_id))
      cursor = page.next_cursor ?? undefined
    } while (cursor)
    expect(new Set(seen).size).toBe(30)
    expect(seen).toHaveLength(30)
    const newest = await getEvent({ reads }, { event_id: seen[0] as string })
    expect(newest).toMatchObject({ ok: true, value: { seq: 30, details: { n: 29 } } })
    expect((await getEvent({ reads }, { event_id: 'evt_none' })).ok).toBe(false)
  })

  it('filters by name, group, outcome and resource', async () => {
    const count = async (filter: object) =>
      (await listEvents({ db: database, reads }, { limit: 100, ...filter })).items.length
    expect(await count({ event: 'auth.login' })).toBe(10)
    expect(await count({ event: 'access' })).toBe(20)
    expect(await count({ outcome: 'refused' })).toBe(20)
    expect(await count({ resource_type: 'session', resource_id: 's-2' })).toBe(6)
    expect(await count({ actor: 'nobody' })).toBe(0)
    expect(await count({ event: 'a%' })).toBe(0)
    expect(await count({ from: '2000-01-01T00:00:00Z' })).toBe(30)
    expect(await count({ to: '2000-01-01T00:00:00Z' })).toBe(0)
    const history = await listHistory({ reads }, { resource_type: 'session', resource_id: 's-2' })
    expect(history.items.map((e) => e.details.n)).toEqual([2, 7, 12, 17, 22, 27])
  })

  it('refuses a cursor of another list', async () => {
    await expect(listEvents({ db: database, reads }, { limit: 7, cursor: '29' })).rejects.toThrow(
      'The cursor does not belong to this list.',
    )
  })

  it('mirrors each event byte for byte, once, and remembers how far it came', async () => {
    expect(await project()).toBe(30)
    expect(await project()).toBe(0)
    const { rows } = await database.query<{ event_id: string; ts: Date; body: string }>(
      sql`SELECT e.event_id, e.ts, e.body FROM event e`,
    )
    for (const row of rows) {
      const object = await store.get(auditKey(row))
      expect(Buffer.from(object?.bytes ?? []).toString('utf8')).toBe(row.body)
    }
  })

  it('hands the projector to one process at a time', async () => {
    const other = await consume(database, {
      name: 'projector',
      holder: 'other',
      handle: async () => expect.unreachable(),
    })
    expect(other).toBe(0)
  })

  it('verifies an untouched chain and its objects', async () => {
    const found = await verifyChain({ db: database, store }, { objects: 100 })
    expect(found).toMatchObject({ ok: true, checked: 30, waiting: 0, objects_checked: 30, first_fault: null })
  })

  it('names the first event that was changed', async () => {
    await tamper(
      sql`UPDATE event SET body = replace(body, 'gateway', 'somebody') WHERE id = (SELECT event FROM event_seal WHERE seq = 12)`,
      sql`UPDATE event SET body = replace(body, 'somebody', 'gateway') WHERE id = (SELECT event FROM event_seal WHERE seq = 12)`,
      async () =>
        expect((await verifyChain({ db: database, store }, { objects: 0 })).first_fault?.seq).toBe(12),
    )
  })

  it('names a sealed row that was removed, and a tail that was cut', async () => {
    for (const seq of [9, 30]) {
      const { rows } = await database.query(sql`SELECT * FROM event_seal WHERE seq = ${seq}`)
      const r = rows[0] as { seq: number; event: number; prev_hash: Buffer; hash: Buffer }
      await tamper(
        sql`DELETE FROM event_seal WHERE seq = ${seq}`,
        sql`INSERT INTO event_seal (seq, event, prev_hash, hash) VALUES (${r.seq}, ${r.event}, ${r.prev_hash}, ${r.hash})`,
        async () =>
          expect((await verifyChain({ db: database, store }, { objects: 0 })).first_fault?.seq).toBe(seq),
      )
    }
  })

  it('names two events that changed places', async () => {
    const swap = sql`UPDATE event_seal SET event = CASE seq WHEN 4 THEN -1 ELSE event END WHERE seq = 4`
    const { rows } = await database.query<{ seq: number; event: number }>(
      sql`SELECT seq, event FROM event_seal WHERE seq IN (4, 5) ORDER BY seq`,
    )
    await tamper(swap, sql`UPDATE event_seal SET event = ${rows[0]?.event} WHERE seq = 4`, async () =>
      expect((await verifyChain({ db: database, store }, { objects: 0 })).first_fault).toMatchObject({
        seq: 4,
      }),
    )
  })

  it('refuses every change and removal by the application', async () => {
    await expect(database.query(sql`UPDATE event SET actor = 'x'`)).rejects.toThrow('append-only')
    await expect(database.query(sql`DELETE FROM event`)).rejects.toThrow('append-only')
    await expect(database.query(sql`DELETE FROM event_seal`)).rejects.toThrow('append-only')
    await expect(database.query(sql`TRUNCATE event`)).rejects.toThrow('append-only')
  })
})
