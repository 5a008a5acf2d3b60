import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { SWEEP } from '#domain/authority/caller.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { contextKey, StorageUnavailable } from '#server/ports/object-store.ts'
import { KEEP_OBJECTS } from './removal-lock.ts'
import { sweepObjects } from './sweep-objects.ts'
import { sweepKit } from './testing/sweep-kit.ts'

const kit = sweepKit()
const { at, sweep, put, isThere, nameIt, nameByJob, nameByRun, due } = kit

describe('a pass', () => {
  it('removes what two passes found unreferenced, and nothing that anything names', async () => {
    const loose = [await put(), await put(contextKey)]
    const [document, mentioned] = [await put(), await put()]
    const contexts = [await put(contextKey), await put(contextKey)] as const
    await nameIt(kit.room.db, document)
    await nameByJob(contexts[0])
    await nameByRun(contexts[1])
    await recordEvent(kit.room.db, {
      name: 'artifact.created',
      actor: SWEEP,
      resource: { type: 'artifact', id: 'art-lost' },
      details: { content_sha256: mentioned.sha256 },
    })
    await kit.store.create('artifacts/sha256/notes.txt', Buffer.from('of somebody else'))

    expect(await sweep(23)).toEqual({ listed: 6, marked: 0, removed: 0 })
    expect(await sweep(25)).toEqual({ listed: 6, marked: 2, removed: 0 })
    expect(await sweep(25.5)).toBeNull()
    expect(await sweep(26)).toEqual({ listed: 4, marked: 0, removed: 2 })
    expect(await Promise.all(loose.map(isThere))).toEqual([false, false])
    for (const kept of [document, mentioned, ...contexts]) expect(await isThere(kept)).toBe(true)
    expect((await kit.store.list('artifacts/')).keys).toHaveLength(3)

    const { rows } = await kit.room.db.query(
      sql`SELECT details FROM event WHERE name = 'storage.swept' ORDER BY id DESC LIMIT 1`,
    )
    expect(rows).toEqual([{ details: { removed: 2, bytes: 72, keys: loose.map(({ key }) => key).sort() } }])
    const { rows: state } = await kit.room.db.query(
      sql`SELECT removed, total_bytes >= 72 AS counted FROM object_sweep`,
    )
    expect(state).toEqual([{ removed: 2, counted: true }])
  })

  it('takes the mark off an object that is named again', async () => {
    const object = await put()
    await sweep(25)
    await nameIt(kit.room.db, object)
    expect(await sweep(27)).toMatchObject({ removed: 0 })
    expect((await kit.room.db.query(sql`SELECT FROM object_mark`)).rowCount).toBe(0)
    expect(await isThere(object)).toBe(true)
  })

  it('names no more in an event than one may hold', async () => {
    await kit.room.db.query(sql`INSERT INTO object_mark (object_key, bytes, marked_at)
      SELECT 'artifacts/sha256/' || encode(sha256(n::text::bytea), 'hex'), 1, ${at(0)} FROM generate_series(1, 201) n`)
    expect(await sweep(25)).toMatchObject({ removed: 201 })
    const { rows } = await kit.room.db.query<{ n: number }>(
      sql`SELECT details -> 'removed' AS n FROM event WHERE name = 'storage.swept' ORDER BY id DESC LIMIT 3`,
    )
    expect(rows.map(({ n }) => n)).toEqual([1, 100, 100])
  })

  it('is one worker’s at a time, and stops on request', async () => {
    await put()
    const [one, other] = await Promise.all([sweep(25), sweep(25)])
    expect([one, other].filter(Boolean)).toHaveLength(1)
    const stopped = { holder: 'w', now: at(27), signal: AbortSignal.abort() }
    expect(await sweepObjects({ db: kit.room.db, store: kit.store }, stopped)).toBeNull()
    expect(await sweep(27)).toMatchObject({ removed: 1 })
  })

  it('that failed and is repeated does not remove what it has just marked', async () => {
    const object = await put()
    const failing = {
      list: (prefix: string) =>
        prefix.startsWith('contexts/')
          ? Promise.reject(new StorageUnavailable('no answer'))
          : kit.store.list(prefix),
    }
    await expect(sweep(25, failing)).rejects.toThrow('no answer')
    await due()
    expect(await sweep(25.9)).toEqual({ listed: 1, marked: 0, removed: 0 })
    expect(await isThere(object)).toBe(true)
  })

  it('condemns nothing while a backup is being made', async () => {
    const object = await put()
    await sweep(25)
    const backup = await kit.room.database.pool.connect()
    try {
      await backup.query(KEEP_OBJECTS)
      expect(await sweep(27)).toMatchObject({ removed: 0 })
      await nameIt(kit.room.db, object)
    } finally {
      // Of a connection that is closed the server learns when it gets to it.
      await backup.query('SELECT pg_advisory_unlock_all()')
      backup.release()
    }
    expect(await sweep(29)).toMatchObject({ removed: 0 })
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
    await kit.store.create(mirrored(event_id), Buffer.from('{}'))
    for (const hours of [27, 29]) await expect(sweep(hours)).rejects.toThrow(event_id)
    expect(await kit.room.db.query(sql`SELECT last_error FROM object_sweep`)).toMatchObject({
      rows: [{ last_error: expect.stringContaining(event_id) }],
    })
    expect(await isThere(object)).toBe(true)
    await kit.store.remove(mirrored(event_id))
    const { rows } = await kit.room.db.query<{ event_id: string }>(sql`SELECT event_id FROM event LIMIT 1`)
    await kit.store.create(mirrored(rows[0]?.event_id ?? ''), Buffer.from('{}'))
    expect(await sweep(31)).toMatchObject({ removed: 1 })
  })
})
