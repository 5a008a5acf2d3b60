import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { casKey, contextKey, StorageUnavailable } from '#server/ports/object-store.ts'
import { storeAddressed } from './store-addressed.ts'
import { type Stored, sweepKit, swept } from './testing/sweep-kit.ts'

const kit = sweepKit()
const { at, sweep, altered, put, isThere, nameIt, nameByJob, nameByRun, due, later } = kit

describe('a write beside the sweep', () => {
  it('that finds a marked object has a fresh hour to commit its row', async () => {
    const object = await put()
    await sweep(25)
    await storeAddressed({ db: kit.room.web.db, store: kit.store }, object)
    expect(await sweep(27)).toMatchObject({ marked: 1, removed: 0 })
    await nameIt(kit.room.web.db, object)
    expect(await sweep(29)).toMatchObject({ removed: 0 })
    expect(await isThere(object)).toBe(true)
  })

  it.each([
    ['an artifact', casKey, (object: Stored) => nameIt(kit.room.db, object)],
    ['the context of a job', contextKey, nameByJob],
    ['the context of a run', contextKey, nameByRun],
  ])('that comes with its row after the removal is refused: %s', async (_, keyOf, name) => {
    const object = await put(keyOf)
    await sweep(25)
    await sweep(27)
    expect(await isThere(object)).toBe(false)
    await expect(name(object)).rejects.toEqual(swept)
    await later(2)
    await storeAddressed({ db: kit.room.db, store: kit.store }, object)
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
    const named = kit.room.db.transaction(async (tx) => {
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
        meanwhile.push(
          await storeAddressed({ db: kit.room.db, store: kit.store }, object).catch((error) => error),
        )
        meanwhile.push(await nameIt(kit.room.db, object).catch((error) => error))
        await kit.store.remove(key)
      },
    })
    expect(meanwhile).toEqual([expect.any(StorageUnavailable), swept])
    // A request that was given up may still come: the object is not stored again before that is over.
    await expect(storeAddressed({ db: kit.room.db, store: kit.store }, object)).rejects.toThrow(
      StorageUnavailable,
    )
    await later(2)
    await storeAddressed({ db: kit.room.db, store: kit.store }, object)
    expect(await isThere(object)).toBe(true)
  })

  it('that found the object just before its removal stores it again', async () => {
    const object = await put()
    await sweep(25)
    const late = altered({
      create: async (key, bytes) => {
        const answer = await kit.store.create(key, bytes)
        if (await sweep(27)) await later(2)
        return answer
      },
    })
    await storeAddressed({ db: kit.room.db, store: late }, object)
    expect(await isThere(object)).toBe(true)
    await nameIt(kit.room.db, object)
  })

  it('whose row is not committed yet keeps the sweep waiting, and keeps its object', async () => {
    const object = await put()
    await sweep(25)
    const { pool } = kit.room.database
    const waits = async () =>
      (
        await pool.query(`SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
          WHERE l.locktype = 'advisory' AND NOT l.granted`)
      ).rowCount
    let pass: ReturnType<typeof sweep> | undefined
    await kit.room.db.transaction(async (tx) => {
      await nameIt(tx, object)
      pass = sweep(27)
      await expect.poll(waits, { interval: 10 }).toBe(1)
    })
    expect(await pass).toMatchObject({ removed: 0 })
    expect(await isThere(object)).toBe(true)
  })
})

describe('a removal that is broken off', () => {
  it('is repeated once nobody can be at it, and refuses rows until then', async () => {
    const object = await put()
    await sweep(25)
    const failing = { remove: () => Promise.reject(new StorageUnavailable('no answer')) }
    await expect(sweep(27, failing)).rejects.toThrow('no answer')
    await expect(nameIt(kit.room.db, object)).rejects.toEqual(swept)
    expect(await kit.room.db.query(sql`SELECT last_error FROM object_sweep`)).toMatchObject({
      rows: [{ last_error: 'no answer' }],
    })
    await kit.room.db.query(sql`UPDATE object_mark SET condemned_at = ${at(27)}`)
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
      kit.room.db.query(
        sql`UPDATE object_mark SET condemned_at = ${at(hours)} WHERE object_key = ${failed.key}`,
      )
    await condemned(26)
    const later = await put()
    await due()
    expect(await sweep(26.1)).toMatchObject({ marked: 1, removed: 0 })
    await condemned(28)
    expect(await sweep(28)).toMatchObject({ removed: 0 })
    await nameIt(kit.room.db, later)
    expect(await kit.room.db.query(sql`SELECT last_error FROM object_sweep`)).toMatchObject({
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
    await nameIt(kit.room.db, object)
    await due()
    expect(await sweep(28)).toMatchObject({ removed: 0 })
    expect(await isThere(object)).toBe(true)
  })

  it('is counted by whoever recorded it', async () => {
    await put()
    await sweep(25)
    const remove = async (key: string) => {
      await kit.store.remove(key)
      await kit.room.db.query(
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
    await kit.store.create(object.key, object.bytes)
    expect(await sweep(54)).toMatchObject({ marked: 1, removed: 0 })
    expect(await sweep(56)).toMatchObject({ removed: 1 })
    expect(await isThere(object)).toBe(false)
  })
})
