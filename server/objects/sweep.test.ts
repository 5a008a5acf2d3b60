import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SWEEP } from '#domain/authority/caller.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { readyContexts } from '#server/jobs/backend-call.ts'
import { addAgent, addJob, hold, openRoom, type Room } from '#server/jobs/testing/queue-room.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import {
  casKey,
  contextKey,
  type ObjectStore,
  StorageUnavailable,
  sha256Hex,
} from '#server/ports/object-store.ts'
import { KEEP_OBJECTS } from './removal-lock.ts'
import { storeAddressed } from './store-addressed.ts'
import { sweepObjects } from './sweep-objects.ts'

const HOUR = 3_600_000
let room: Room
let folder: string
let store: ObjectStore
/** The passes of a test go through the hours behind now, since the objects are of now. */
let start: number

beforeAll(async () => {
  room = await openRoom()
})
afterAll(async () => {
  await room?.close()
})
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sweep-'))
  store = await openDirectoryStore(folder)
  start = Date.now()
  await room.db.query(sql`DELETE FROM object_mark`)
  await room.db.query(
    sql`UPDATE object_sweep SET next_at = '2000-01-01', lease_holder = NULL, lease_expires_at = NULL`,
  )
  return () => rm(folder, { recursive: true, force: true })
})

const at = (hours: number) => new Date(start + hours * HOUR)
const sweep = (hours: number, over: Partial<ObjectStore> = {}) =>
  sweepObjects({ db: room.db, store: altered(over) }, { holder: randomUUID(), now: at(hours) })
const altered = (over: Partial<ObjectStore>): ObjectStore =>
  new Proxy(store, { get: (target, name) => over[name as 'get'] ?? target[name as 'get'].bind(target) })

type Stored = { key: string; bytes: Uint8Array; sha256: string }
const made = (text: string, keyOf = casKey): Stored => {
  const bytes = Buffer.from(text)
  return { key: keyOf(sha256Hex(bytes)), bytes, sha256: sha256Hex(bytes) }
}
async function put(keyOf = casKey): Promise<Stored> {
  const object = made(randomUUID(), keyOf)
  await store.create(object.key, object.bytes)
  return object
}
const isThere = async ({ key }: Stored) => (await store.head(key)) !== null

/** The row of an artifact that nobody's job made. */
const nameIt = (db: Pick<Db, 'query'>, { key, sha256 }: Stored) =>
  db.query(sql`INSERT INTO artifact (artifact_id, agent_slug, type, title, object_key, content_sha256, bytes)
    VALUES (${`art-${randomUUID()}`}, 'scout', 'RESEARCH_BRIEF', 'A brief', ${key}, ${sha256}, 1)`)

async function nameByJob({ key, sha256 }: Stored): Promise<boolean> {
  const job = await hold(room, await addJob(room.db))
  const context = { context_key: key, context_sha256: sha256, write_token_hash: 'h' }
  const [moved] = await readyContexts(room.db, [{ job_id: job.job_id, fence: job.fence, ...context }])
  return moved ?? false
}

async function nameByRun({ key }: Stored): Promise<void> {
  const [slug, run_id] = [await addAgent(room.db, `r-${randomUUID().slice(0, 8)}`), `run_${randomUUID()}`]
  await room.db.query(
    sql`INSERT INTO run (run_id, agent_slug, requested_by) VALUES (${run_id}, ${slug}, 'owner')`,
  )
  await room.db.query(sql`INSERT INTO run_step (run_id, step) VALUES (${run_id}, 1)`)
  await room.db.query(
    sql`UPDATE run_step SET output = jsonb_build_object('context_object', ${key}::text) WHERE run_id = ${run_id}`,
  )
}

/** As if the pause after a fault were over. */
const due = () => room.db.query(sql`UPDATE object_sweep SET next_at = '2000-01-01'`)
const swept = expect.objectContaining({ constraint: 'object_swept' })
/** As if so much time had passed since everything that the ledger's clock dated. */
const later = (minutes: number) =>
  room.db.query(sql`UPDATE object_mark SET condemned_at = condemned_at - make_interval(mins => ${minutes}),
    removed_at = removed_at - make_interval(mins => ${minutes})`)

describe('a pass', () => {
  it('removes what two passes found unreferenced, and nothing that anything names', async () => {
    const loose = [await put(), await put(contextKey)]
    const [document, mentioned] = [await put(), await put()]
    const contexts = [await put(contextKey), await put(contextKey)] as const
    await nameIt(room.db, document)
    await nameByJob(contexts[0])
    await nameByRun(contexts[1])
    await recordEvent(room.db, {
      name: 'artifact.created',
      actor: SWEEP,
      resource: { type: 'artifact', id: 'art-lost' },
      details: { content_sha256: mentioned.sha256 },
    })
    await store.create('artifacts/sha256/notes.txt', Buffer.from('of somebody else'))

    expect(await sweep(23)).toEqual({ listed: 6, marked: 0, removed: 0 })
    expect(await sweep(25)).toEqual({ listed: 6, marked: 2, removed: 0 })
    expect(await sweep(25.5)).toBeNull()
    expect(await sweep(26)).toEqual({ listed: 4, marked: 0, removed: 2 })
    expect(await Promise.all(loose.map(isThere))).toEqual([false, false])
    for (const kept of [document, mentioned, ...contexts]) expect(await isThere(kept)).toBe(true)
    expect((await store.list('artifacts/')).keys).toHaveLength(3)

    const { rows } = await room.db.query(
      sql`SELECT details FROM event WHERE name = 'storage.swept' ORDER BY id DESC LIMIT 1`,
    )
    expect(rows).toEqual([{ details: { removed: 2, bytes: 72, keys: loose.map(({ key }) => key).sort() } }])
    const { rows: state } = await room.db.query(
      sql`SELECT removed, total_bytes >= 72 AS counted FROM object_sweep`,
    )
    expect(state).toEqual([{ removed: 2, counted: true }])
  })

  it('takes the mark off an object that is named again', async () => {
    const object = await put()
    await sweep(25)
    await nameIt(room.db, object)
    expect(await sweep(27)).toMatchObject({ removed: 0 })
    expect((await room.db.query(sql`SELECT FROM object_mark`)).rowCount).toBe(0)
    expect(await isThere(object)).toBe(true)
  })

  it('names no more in an event than one may hold', async () => {
    await room.db.query(sql`INSERT INTO object_mark (object_key, bytes, marked_at)
      SELECT 'artifacts/sha256/' || encode(sha256(n::text::bytea), 'hex'), 1, ${at(0)} FROM generate_series(1, 201) n`)
    expect(await sweep(25)).toMatchObject({ removed: 201 })
    const { rows } = await room.db.query<{ n: number }>(
      sql`SELECT details -> 'removed' AS n FROM event WHERE name = 'storage.swept' ORDER BY id DESC LIMIT 3`,
    )
    expect(rows.map(({ n }) => n)).toEqual([1, 100, 100])
  })

  it('is one worker’s at a time, and stops on request', async () => {
    await put()
    const [one, other] = await Promise.all([sweep(25), sweep(25)])
    expect([one, other].filter(Boolean)).toHaveLength(1)
    const stopped = { holder: 'w', now: at(27), signal: AbortSignal.abort() }
    expect(await sweepObjects({ db: room.db, store }, stopped)).toBeNull()
    expect(await sweep(27)).toMatchObject({ removed: 1 })
  })

  it('that failed and is repeated does not remove what it has just marked', async () => {
    const object = await put()
    const failing = {
      list: (prefix: string) =>
        prefix.startsWith('contexts/')
          ? Promise.reject(new StorageUnavailable('no answer'))
          : store.list(prefix),
    }
    await expect(sweep(25, failing)).rejects.toThrow('no answer')
    await due()
    expect(await sweep(25.9)).toEqual({ listed: 1, marked: 0, removed: 0 })
    expect(await isThere(object)).toBe(true)
  })

  it('condemns nothing while a backup is being made', async () => {
    const object = await put()
    await sweep(25)
    const backup = await room.database.pool.connect()
    try {
      await backup.query(KEEP_OBJECTS)
      expect(await sweep(27)).toMatchObject({ removed: 0 })
      await nameIt(room.db, object)
    } finally {
      backup.release(true)
    }
    expect(await sweep(29)).toMatchObject({ removed: 0 })
    expect(await isThere(object)).toBe(true)
  })
})

describe('a write beside the sweep', () => {
  it('that finds a marked object has a fresh hour to commit its row', async () => {
    const object = await put()
    await sweep(25)
    await storeAddressed({ db: room.web.db, store }, object)
    expect(await sweep(27)).toMatchObject({ marked: 1, removed: 0 })
    await nameIt(room.web.db, object)
    expect(await sweep(29)).toMatchObject({ removed: 0 })
    expect(await isThere(object)).toBe(true)
  })

  it.each([
    ['an artifact', casKey, (object: Stored) => nameIt(room.db, object)],
    ['the context of a job', contextKey, nameByJob],
    ['the context of a run', contextKey, nameByRun],
  ])('that comes with its row after the removal is refused: %s', async (_, keyOf, name) => {
    const object = await put(keyOf)
    await sweep(25)
    await sweep(27)
    expect(await isThere(object)).toBe(false)
    await expect(name(object)).rejects.toEqual(swept)
    await later(2)
    await storeAddressed({ db: room.db, store }, object)
    await name(object)
    expect(await isThere(object)).toBe(true)
    await sweep(60)
    expect(await sweep(62)).toMatchObject({ removed: 0 })
    expect(await isThere(object)).toBe(true)
  })

  it('is refused whatever tables its session finds first', async () => {
    const object = await put()
    await sweep(25)
    await sweep(27)
    const named = room.db.transaction(async (tx) => {
      await tx.query(sql`SELECT set_config('search_path', 'pg_catalog', true)`)
      await tx.query(sql`INSERT INTO public.artifact (artifact_id, agent_slug, type, title, object_key, content_sha256, bytes)
        VALUES ('art-elsewhere', 'scout', 'RESEARCH_BRIEF', 'A brief', ${object.key}, ${object.sha256}, 1)`)
    })
    await expect(named).rejects.toEqual(swept)
  })

  it('during the removal is asked to come again, and its row is refused', async () => {
    const object = await put()
    await sweep(25)
    const meanwhile: unknown[] = []
    await sweep(27, {
      remove: async (key) => {
        meanwhile.push(await storeAddressed({ db: room.db, store }, object).catch((error) => error))
        meanwhile.push(await nameIt(room.db, object).catch((error) => error))
        await store.remove(key)
      },
    })
    expect(meanwhile).toEqual([expect.any(StorageUnavailable), swept])
    // A request that was given up may still come: the object is not stored again before that is over.
    await expect(storeAddressed({ db: room.db, store }, object)).rejects.toThrow(StorageUnavailable)
    await later(2)
    await storeAddressed({ db: room.db, store }, object)
    expect(await isThere(object)).toBe(true)
  })

  it('that found the object just before its removal stores it again', async () => {
    const object = await put()
    await sweep(25)
    const late = altered({
      create: async (key, bytes) => {
        const answer = await store.create(key, bytes)
        if (await sweep(27)) await later(2)
        return answer
      },
    })
    await storeAddressed({ db: room.db, store: late }, object)
    expect(await isThere(object)).toBe(true)
    await nameIt(room.db, object)
  })

  it('whose row is not committed yet keeps the sweep waiting, and keeps its object', async () => {
    const object = await put()
    await sweep(25)
    const { pool } = room.database
    const waits = async () =>
      (
        await pool.query(`SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
          WHERE l.locktype = 'advisory' AND NOT l.granted`)
      ).rowCount
    let pass: ReturnType<typeof sweep> | undefined
    await room.db.transaction(async (tx) => {
      await nameIt(tx, object)
      pass = sweep(27)
      await expect.poll(waits, { interval: 10 }).toBe(1)
    })
    expect(await pass).toMatchObject({ removed: 0 })
    expect(await isThere(object)).toBe(true)
  })
})

describe('a ledger that was set back to an earlier time', () => {
  it('removes nothing, until it knows again what the store tells of', async () => {
    const object = await put()
    await sweep(25)
    const event_id = `evt_${randomUUID().replaceAll('-', '').toUpperCase()}`
    const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
    const mirrored = (id: string) => `audit/${day}/${id}.json`
    await store.create(mirrored(event_id), Buffer.from('{}'))
    for (const hours of [27, 29]) await expect(sweep(hours)).rejects.toThrow(event_id)
    expect(await room.db.query(sql`SELECT last_error FROM object_sweep`)).toMatchObject({
      rows: [{ last_error: expect.stringContaining(event_id) }],
    })
    expect(await isThere(object)).toBe(true)
    await store.remove(mirrored(event_id))
    const { rows } = await room.db.query<{ event_id: string }>(sql`SELECT event_id FROM event LIMIT 1`)
    await store.create(mirrored(rows[0]?.event_id ?? ''), Buffer.from('{}'))
    expect(await sweep(31)).toMatchObject({ removed: 1 })
  })
})

describe('a removal that is broken off', () => {
  it('is repeated once nobody can be at it, and refuses rows until then', async () => {
    const object = await put()
    await sweep(25)
    const failing = { remove: () => Promise.reject(new StorageUnavailable('no answer')) }
    await expect(sweep(27, failing)).rejects.toThrow('no answer')
    await expect(nameIt(room.db, object)).rejects.toEqual(swept)
    expect(await room.db.query(sql`SELECT last_error FROM object_sweep`)).toMatchObject({
      rows: [{ last_error: 'no answer' }],
    })
    await room.db.query(sql`UPDATE object_mark SET condemned_at = ${at(27)}`)
    expect(await sweep(27.01)).toBeNull()
    await due()
    expect(await sweep(27.1)).toMatchObject({ removed: 0 })
    expect(await sweep(28.2)).toMatchObject({ removed: 1 })
    expect(await isThere(object)).toBe(false)
  })

  it('keeps no further objects from their writers before its end is known', async () => {
    const failed = await put()
    await sweep(25)
    const failing = { remove: () => Promise.reject(new StorageUnavailable('no answer')) }
    await expect(sweep(26, failing)).rejects.toThrow('no answer')
    const condemned = (hours: number) =>
      room.db.query(sql`UPDATE object_mark SET condemned_at = ${at(hours)} WHERE object_key = ${failed.key}`)
    await condemned(26)
    const later = await put()
    await due()
    expect(await sweep(26.1)).toMatchObject({ marked: 1, removed: 0 })
    await condemned(28)
    expect(await sweep(28)).toMatchObject({ removed: 0 })
    await nameIt(room.db, later)
    expect(await room.db.query(sql`SELECT last_error FROM object_sweep`)).toMatchObject({
      rows: [{ last_error: 'no answer' }],
    })
    expect(await sweep(30)).toMatchObject({ removed: 1 })
    expect([await isThere(failed), await isThere(later)]).toEqual([false, true])
  })

  it('leaves an object to its writers that the store refused to remove', async () => {
    const object = await put()
    await sweep(25)
    const refusing = {
      remove: () => Promise.reject(new StorageUnavailable('AccessDenied', { refused: true })),
    }
    await expect(sweep(27, refusing)).rejects.toThrow('AccessDenied')
    await nameIt(room.db, object)
    await due()
    expect(await sweep(28)).toMatchObject({ removed: 0 })
    expect(await isThere(object)).toBe(true)
  })

  it('is counted by whoever recorded it', async () => {
    await put()
    await sweep(25)
    const remove = async (key: string) => {
      await store.remove(key)
      await room.db.query(
        sql`UPDATE object_mark SET removed_at = clock_timestamp() WHERE object_key = ${key}`,
      )
    }
    expect(await sweep(27, { remove })).toMatchObject({ removed: 0 })
  })

  it('begins anew for an object that is there again and unreferenced', async () => {
    const object = await put()
    await sweep(25)
    await sweep(27)
    await later(2)
    await store.create(object.key, object.bytes)
    expect(await sweep(54)).toMatchObject({ marked: 1, removed: 0 })
    expect(await sweep(56)).toMatchObject({ removed: 1 })
    expect(await isThere(object)).toBe(false)
  })
})
