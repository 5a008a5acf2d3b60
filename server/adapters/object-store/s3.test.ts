import { randomUUID } from 'node:crypto'
import { mkdtemp, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import sql from 'sql-template-tag'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  dumpObjects,
  keysBelow,
  LARGE_BYTES,
  loadLargeObject,
  loadObject,
  strangerIn,
} from '#server/copies/copy-objects.ts'
import { openRoom } from '#server/jobs/testing/queue-room.ts'
import { lacking } from '#server/launch/testing/lacking.ts'
import { objectStoreSuite } from '#server/launch/testing/object-store.suite.ts'
import { testS3Server } from '#server/launch/testing/test-s3-server.ts'
import { sweepObjects } from '#server/objects/sweep-objects.ts'
import { sourceOf } from '#server/ports/byte-source.ts'
import {
  casKey,
  ObjectConflict,
  type ObjectStore,
  StorageUnavailable,
  sha256Hex,
} from '#server/ports/object-store.ts'
import { FAULTS, type Fault, type Plan, startFaultyProxy } from '../../../e2e/s3-server/faulty-proxy.ts'
import { ensureBucket, openS3Store } from './s3.ts'

type Addressed = { key: string; bytes: Uint8Array }
const bytes = (text: string) => new TextEncoder().encode(text)
const text = (data: Uint8Array | undefined) => (data ? new TextDecoder().decode(data) : undefined)
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })
const server = await testS3Server()

if ('unavailable' in server) {
  it('runs against a real S3 server', (context) => lacking(context, server.unavailable))
} else {
  const access = { ...server, bucket: `test-${randomUUID()}`, pauseMs: 5, timeoutMs: 30_000 }

  objectStoreSuite('S3', async () => {
    await ensureBucket(access)
    await ensureBucket(access)
    return { store: openS3Store(access), close: async () => undefined }
  })

  it('is swept of what nothing refers to, and keeps what a row names', async () => {
    const own = { ...access, bucket: `sweep-${randomUUID()}` }
    await ensureBucket(own)
    const store = openS3Store(own)
    const room = await openRoom()
    onTestFinished(() => room.close())
    const [loose, named] = ['loose', 'named'].map((name) => ({
      key: casKey(sha256Hex(name)),
      bytes: bytes(name),
    }))
    for (const { key, bytes } of [loose, named] as Addressed[]) await store.create(key, bytes)
    const name = (key = '') =>
      room.db.query(sql`INSERT INTO artifact (artifact_id, agent_slug, type, title, object_key, content_sha256, bytes)
        VALUES (${`art-${randomUUID()}`}, 'scout', 'BRIEF', 'A brief', ${key}, 'x', 1)`)
    await name(named?.key)
    const sweep = (hours: number) =>
      sweepObjects({ db: room.db, store }, { holder: 'w', now: new Date(Date.now() + hours * 3_600_000) })
    expect(await sweep(25)).toEqual({ listed: 2, marked: 1, removed: 0 })
    expect(await sweep(27)).toEqual({ listed: 1, marked: 0, removed: 1 })
    expect((await store.list('')).keys).toEqual([named?.key])
    await expect(name(loose?.key)).rejects.toMatchObject({ constraint: 'object_swept' })
  })

  describe('a copy of a bucket', () => {
    /** More than a server lists at once, and one that no single packet holds. */
    const objects = new Map([
      ...Array.from(
        { length: 1_100 },
        (_, n) => [`many/${String(n).padStart(5, '0')}.json`, bytes(`${n}`)] as const,
      ),
      ['artifacts/large.bin', new Uint8Array(24 * 1024 * 1024).map((_, n) => n % 251)] as const,
    ])
    const openBucket = async () => {
      const own = { ...access, bucket: `copy-${randomUUID()}` }
      await ensureBucket(own)
      return openS3Store(own)
    }
    const inParallel = async (each: (entry: [string, Uint8Array]) => Promise<unknown>) => {
      const left = [...objects]
      const one = async () => {
        for (let entry = left.pop(); entry; entry = left.pop()) await each(entry)
      }
      await Promise.all(Array.from({ length: 16 }, one))
    }

    const loadStreamed = async (store: ObjectStore, name: string, data: Uint8Array) => {
      const chunks = sourceOf(data).open()
      const entry = { name, size: data.length, chunks, bytes: () => Promise.reject(new Error('in memory')) }
      const spool = await mkdtemp(join(tmpdir(), 'bloom-spool-'))
      await loadLargeObject({ store, spool }, entry, sha256Hex(data))
      await rmdir(spool) // It is empty.
    }

    it('holds every object, and is taken into an empty bucket and no other', async () => {
      const [from, to] = [await openBucket(), await openBucket()]
      await inParallel(([key, data]) => from.create(key, data))
      const entries = new Map<string, Uint8Array>()
      const streamed: string[] = []
      const archive = {
        add: async (name: string, data: Uint8Array) => void entries.set(name, data),
        addFrom: async ({ name }: { name: string }, source: AsyncIterable<Uint8Array>) => {
          streamed.push(name)
          entries.set(name, await buffer(source))
        },
      }
      const added = await dumpObjects({ store: from }, archive as never, keysBelow(from, ['']))
      expect([...added]).toEqual([...objects.keys()].sort())
      const digests = new Map([...entries].map(([name, data]) => [name, sha256Hex(data)]))
      const some = [...objects].filter(([key]) => !key.endsWith('.json') || key.endsWith('99.json'))
      for (const [key, data] of some) {
        const name = `objects/${key}`
        const entry = entries.get(name) ?? bytes('')
        if (streamed.includes(name)) await loadStreamed(to, name, entry)
        else await loadObject(to, name, entry)
        expect(Buffer.from((await to.get(key))?.bytes ?? []).equals(data), key).toBe(true)
      }
      expect(streamed).toHaveLength([...objects.values()].filter((data) => data.length > LARGE_BYTES).length)
      expect(await strangerIn(to, digests)).toBeNull()
      await expect(loadObject(to, 'objects/many/00099.json', bytes('another'))).rejects.toThrow(
        /empty bucket/,
      )
      // Behind the first page of a listing, too.
      expect(await strangerIn(from, digests)).toBeNull()
      await from.create('many/99999.json', bytes('of somebody else'))
      expect(await strangerIn(from, digests)).toBe('many/99999.json')
    })
  })

  describe('a spoilt connection', () => {
    const opened: (() => Promise<void>)[] = []
    afterEach(async () => {
      for (const close of opened.splice(0)) await close()
    })
    const through = async (plan: Plan, options = {}) => {
      const proxy = await startFaultyProxy(server.endpoint, plan)
      opened.push(proxy.close)
      return { proxy, store: openS3Store({ ...access, endpoint: proxy.endpoint, ...options }) }
    }
    /** Spoils the first requests of a method, one by one. */
    const first = (method: string, ...faults: Fault[]): Plan => {
      const left = [...faults]
      return (request) => (request.method === method ? (left.shift() ?? null) : null)
    }
    const clean = openS3Store(access)

    it.each(FAULTS)('%s on a write ends as one write that stands', async (fault) => {
      const { store, proxy } = await through(first('PUT', fault), { timeoutMs: 3000 })
      const key = `spoilt/${randomUUID()}`
      await store.create(key, bytes('content'))
      expect(proxy.count.spoilt).toBe(1)
      expect(text((await clean.get(key))?.bytes)).toBe('content')
      await expect(store.create(key, bytes('other'))).rejects.toBeInstanceOf(ObjectConflict)
    })

    it.each(FAULTS)('%s on a compare-and-set neither loses nor doubles it', async (fault) => {
      const key = `spoilt/${randomUUID()}`
      const { etag } = await clean.replace(key, bytes('before'), null)
      const { store } = await through(first('PUT', fault), { timeoutMs: 3000 })
      const done = await store.replace(key, bytes('after'), etag)
      expect(await clean.get(key)).toMatchObject({ bytes: bytes('after'), etag: done.etag })
      await expect(store.replace(key, bytes('stale'), etag)).rejects.toBeInstanceOf(ObjectConflict)
    })

    const ofReads = FAULTS.filter((fault) => fault !== '412-after-success' && fault !== 'error-in-200')
    it.each(ofReads)('%s on a read is neither absence nor half an object', async (fault) => {
      const key = `spoilt/${randomUUID()}`
      await clean.create(key, bytes('a whole object'))
      const { store } = await through(first('GET', fault), { timeoutMs: 3000 })
      expect(text((await store.get(key))?.bytes)).toBe('a whole object')
    })

    it('tells a lost race from its own lost answer', async () => {
      const key = `spoilt/${randomUUID()}`
      const { etag } = await clean.replace(key, bytes('start'), null)
      let stolen = false
      const { store } = await through(() => {
        const spoil = !stolen
        stolen = true
        return spoil ? '503' : null
      })
      await clean.replace(key, bytes('theirs'), etag)
      await expect(store.replace(key, bytes('ours'), etag)).rejects.toBeInstanceOf(ObjectConflict)
      expect(text((await clean.get(key))?.bytes)).toBe('theirs')
    })

    it.each(['503', 'reset', 'not-found-page'] as const)(
      '%s for ever is unavailable, never absent',
      async (fault) => {
        const { store } = await through(() => fault, { attempts: 2 })
        const calls = [
          store.get('a'),
          store.head('a'),
          store.list('a'),
          store.remove('a'),
          store.create('a', bytes('a')),
          store.replace('a', bytes('a'), 'e'),
        ]
        for (const call of await Promise.allSettled(calls)) {
          expect(call.status === 'rejected' && call.reason).toBeInstanceOf(StorageUnavailable)
        }
        expect((await store.probe()).ok).toBe(false)
      },
    )

    it('a missing bucket and a wrong key are unavailable, not absent', async () => {
      for (const wrong of [{ bucket: `none-${randomUUID()}` }, { secretKey: 'wrong' }]) {
        const store = openS3Store({ ...access, ...wrong })
        const calls = [store.get('a'), store.head('a'), store.list(''), store.create('a', bytes('a'))]
        for (const call of await Promise.allSettled(calls)) {
          expect(call.status === 'rejected' && call.reason).toBeInstanceOf(StorageUnavailable)
        }
        await expect(store.remove('a')).rejects.toMatchObject({ refused: true })
      }
    })

    it('serves nothing corrupt and reports nothing falsely while everything goes wrong', async () => {
      const random = generator(8)
      const { store, proxy } = await through(() => {
        const fault = FAULTS[Math.floor(random() * FAULTS.length)] ?? null
        return random() < 0.4 && fault !== 'hang' && fault !== 'error-in-200' ? fault : null
      })
      const outcomes = { applied: 0, unknown: 0 }
      for (let i = 0; i < 60; i++) await writeAndCheck(store, `storm/${i}`, outcomes)
      expect(proxy.count.spoilt).toBeGreaterThan(20)
      expect(outcomes.applied + outcomes.unknown).toBe(60)
      expect(outcomes.applied).toBeGreaterThan(20)
    })

    /** One writer alone: a conflict would be a lie, "applied" must stand, and "unknown" may be either, whole. */
    async function writeAndCheck(
      store: ObjectStore,
      key: string,
      outcomes: { applied: number; unknown: number },
    ) {
      const outcome = await store.create(key, bytes(key)).then(
        () => 'applied' as const,
        (error) => (error instanceof StorageUnavailable ? ('unknown' as const) : Promise.reject(error)),
      )
      outcomes[outcome]++
      const standing = text((await clean.get(key))?.bytes)
      expect(outcome === 'applied' ? [key] : [key, undefined]).toContain(standing)
      const read = await store.get(key).catch((error) => error)
      if (!(read instanceof StorageUnavailable)) expect(text(read?.bytes)).toBe(standing)
    }
  })
}

/** A small generator of numbers in [0, 1) that gives the same ones every time. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296
    return state / 4294967296
  }
}
