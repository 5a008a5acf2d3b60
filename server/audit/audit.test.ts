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
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { auditKey, parseAuditObject } from '#server/outbox/audit-object.ts'
import { consume } from '#server/outbox/consume.ts'
import { projectEvents } from '#server/outbox/project-events.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { getEvent } from './get-event.query.ts'
import { listEvents, listHistory } from './list-events.query.ts'

let test: TestDatabase
/** The worker writes, seals and mirrors; the web process reads and verifies. */
let database: Database
let web: Database
let reads: Reads
let store: ObjectStore
let folder: string

beforeAll(async () => {
  test = await createTestDatabase()
  database = openDatabase(test.workerUrl)
  web = openDatabase(test.webUrl)
  reads = openReads(web)
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
  await web?.close()
  await test?.drop()
  await rm(folder, { recursive: true, force: true })
})

const project = () =>
  consume(database, {
    name: 'projector',
    holder: 'test',
    handle: (events) => projectEvents({ db: database, store, projectRun: async () => {} }, events),
  })

describe('the audit', () => {
  it('pages through every event once, newest first', async () => {
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await listEvents({ db: web, reads }, { limit: 7, ...(cursor ? { cursor } : {}) })
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
      (await listEvents({ db: web, reads }, { limit: 100, ...filter })).items.length
    expect(await count({ event: 'auth.login' })).toBe(10)
    expect(await count({ event: 'access' })).toBe(20)
    expect(await count({ outcome: 'refused' })).toBe(20)
    expect(await count({ resource_type: 'session', resource_id: 's-2' })).toBe(6)
    expect(await count({ actor: 'nobody' })).toBe(0)
    expect(await count({ event: 'a%' })).toBe(0)
    expect(await count({ q: 'LOGIN' })).toBe(10)
    expect(await count({ q: 's-2' })).toBe(6)
    expect(await count({ q: '%' })).toBe(0)
    expect(await count({ q: 'login', outcome: 'refused' })).toBe(0)
    expect(await count({ from: '2000-01-01T00:00:00Z' })).toBe(30)
    expect(await count({ to: '2000-01-01T00:00:00Z' })).toBe(0)
    const history = await listHistory({ reads }, { resource_type: 'session', resource_id: 's-2' })
    expect(history.items.map((e) => e.details.n)).toEqual([2, 7, 12, 17, 22, 27])
  })

  it('searches a bounded number of events for a page, says how far it came, and goes on from there', async () => {
    const seen: unknown[] = []
    const stops: unknown[] = []
    let cursor: string | undefined
    do {
      const page = await listEvents(
        { db: web, reads },
        { q: 's-2', limit: 1, ...(cursor ? { cursor } : {}) },
        4,
      )
      seen.push(...page.items.map((e) => e.details.n))
      stops.push(page.searched_to === null ? null : 'stopped')
      cursor = page.next_cursor ?? undefined
    } while (cursor)
    expect(seen).toEqual([27, 22, 17, 12, 7, 2])
    expect(stops).toContain('stopped')
    expect(stops.at(-1)).toBeNull()
    const whole = await listEvents({ db: web, reads }, { q: 's-2', limit: 50 }, 30)
    expect(whole).toMatchObject({ searched_to: null, next_cursor: null })
    expect(whole.items).toHaveLength(6)
  })

  it('refuses a cursor of another list', async () => {
    await expect(listEvents({ db: web, reads }, { limit: 7, cursor: '29' })).rejects.toThrow(
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
      const { body } = parseAuditObject(Buffer.from(object?.bytes ?? []).toString('utf8'))
      expect(body).toBe(row.body)
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

  it('shows the ids that concern an event at its top', async () => {
    const refs = { job_id: 'j-1', agent: 'a' }
    await recordEvent(database, {
      name: 'job.write.refused',
      actor: GATEWAY,
      resource: { type: 'job', id: 'j-1' },
      refs,
    })
    const page = await listEvents({ db: database, reads }, { limit: 1 })
    expect(page.items[0]).toMatchObject({ job_id: 'j-1', refs, from: null })
  })

  it('refuses every change and removal by the application', async () => {
    await onLedger(test.url, async (owner) => {
      await expect(owner.query(sql`UPDATE event SET actor = 'x'`)).rejects.toThrow('append-only')
      await expect(owner.query(sql`DELETE FROM event`)).rejects.toThrow('append-only')
      await expect(owner.query(sql`DELETE FROM event_seal`)).rejects.toThrow('append-only')
      await expect(owner.query(sql`TRUNCATE event`)).rejects.toThrow('append-only')
      await expect(owner.query(sql`TRUNCATE event_seal`)).rejects.toThrow('append-only')
    })
  })
})
