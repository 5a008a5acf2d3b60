import { randomBytes, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ByteSource, SourceFailed, sourceOf } from '#server/ports/byte-source.ts'
import {
  ArtifactCorrupt,
  ObjectConflict,
  type ObjectStore,
  type ObjectStream,
  sha256Hex,
} from '#server/ports/object-store.ts'

/**
 * Streams of this size and above go in parts of this size; a store that knows parts is opened so. What a store does by itself is
 * larger, and for its own test: here it would only take its time.
 */
export const PART_BYTES = 256 * 1024
/** What a store takes as one piece, what it must take in parts, and the border between the two. */
const SIZES = [0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES + 70_000]
const LARGE = PART_BYTES + 1000
/** More than the sockets between a server and its reader hold. */
const UNBUFFERED = 8 * 1024 * 1024

/** The bytes in chunks of uneven length; the size is told only when asked for. */
function streamOf(bytes: Uint8Array, options: { size?: number; sha256?: string } = {}): ByteSource {
  return {
    ...options,
    open: async function* () {
      for (let from = 0, step = 7; from < bytes.length; from += step, step = 100_003)
        yield bytes.subarray(from, from + step)
    },
  }
}

/** A source that breaks after `after` bytes, each time it is opened. */
const breakingAfter = (after: number): ByteSource => ({
  open: async function* () {
    for (let left = after; left > 0; left -= 65_536) yield randomBytes(Math.min(left, 65_536))
    throw new Error('the disk broke')
  },
})

const wholeOf = async (object: Pick<ObjectStream, 'stream'> | null): Promise<Buffer> =>
  object ? await buffer(object.stream) : Buffer.from('no object')

type Store = () => ObjectStore
type Opened = {
  store: ObjectStore
  /** Everything that unfinished writes left behind, by name. */
  leftOvers: () => Promise<string[]>
  close: () => Promise<void>
}

/** What every adapter must do with objects too large for memory. */
export function objectStreamsSuite(name: string, open: () => Promise<Opened>): void {
  describe(`object streams: ${name}`, () => {
    let opened: Opened
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened?.close())
    const store = () => opened.store

    writing(store)
    failing(store, () => opened.leftOvers())
    reading(store)
    copying(store)
    timing(store)
  })
}

const fresh = () => `streams/${randomUUID()}`

function writing(store: Store): void {
  it.each(SIZES)('writes and reads %i bytes, of known size and of unknown', async (size) => {
    const bytes = randomBytes(size)
    const sha256 = sha256Hex(bytes)
    for (const options of [{}, { size }, { size, sha256 }]) {
      const key = fresh()
      const written = await store().createFrom(key, streamOf(bytes, options))
      expect(written).toEqual({ created: true, size, sha256, etag: expect.stringMatching(/^[^"]+$/) })
      expect(await store().head(key)).toMatchObject({ size, etag: written.etag })
      const object = await store().read(key, sha256)
      expect(object).toMatchObject({ key, size, etag: written.etag })
      expect(bytes.equals(await wholeOf(object))).toBe(true)
    }
  })

  it.each([100, LARGE])('creates %i bytes once, and takes equal content as success', async (size) => {
    const key = fresh()
    const bytes = randomBytes(size)
    const first = await store().createFrom(key, streamOf(bytes))
    expect(await store().createFrom(key, streamOf(bytes))).toEqual({ ...first, created: false })
    expect(await store().create(key, bytes)).toEqual({ created: false, etag: first.etag })
    for (const other of [randomBytes(size), randomBytes(size + 1)])
      await expect(store().createFrom(key, streamOf(other))).rejects.toBeInstanceOf(ObjectConflict)
    expect(sha256Hex((await store().get(key))?.bytes ?? '')).toBe(first.sha256)
  })

  it.each([100, LARGE])('replaces %i bytes by compare-and-set alone', async (size) => {
    const key = fresh()
    const [one, two, three] = [1, 2, 3].map(() => randomBytes(size)) as [Buffer, Buffer, Buffer]
    const first = await store().replaceFrom(key, streamOf(one), null)
    await expect(store().replaceFrom(key, streamOf(two), null)).rejects.toBeInstanceOf(ObjectConflict)
    const second = await store().replaceFrom(key, streamOf(two), first.etag)
    expect(second).toEqual({ size, sha256: sha256Hex(two), etag: expect.any(String) })
    await expect(store().replaceFrom(key, streamOf(three), first.etag)).rejects.toBeInstanceOf(ObjectConflict)
    expect(await store().replaceFrom(key, streamOf(two), first.etag)).toEqual(second)
    expect(sha256Hex((await store().get(key))?.bytes ?? '')).toBe(second.sha256)
    await store().replace(key, three, second.etag)
    const gone = fresh()
    await expect(store().replaceFrom(gone, streamOf(one), first.etag)).rejects.toBeInstanceOf(ObjectConflict)
    expect(await store().head(gone)).toBeNull()
  })

  it('lets exactly one of several large writers win', async () => {
    const key = fresh()
    const bodies = Array.from({ length: 4 }, () => randomBytes(LARGE))
    const settled = await Promise.allSettled(
      bodies.map((body) => store().createFrom(key, streamOf(body, { size: LARGE }))),
    )
    const won = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    for (const one of settled)
      if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(ObjectConflict)
    expect(won).toHaveLength(1)
    expect(sha256Hex((await store().get(key))?.bytes ?? '')).toBe(won[0]?.sha256)
  })
}

function failing(store: Store, leftOvers: () => Promise<string[]>): void {
  it.each([10, 100_000, 2.5 * PART_BYTES])(
    'leaves nothing of a source that breaks after %i bytes',
    async (after) => {
      const key = fresh()
      const { etag } = await store().replace(`${key}-standing`, Buffer.from('standing'), null)
      for (const announced of [
        {},
        { size: 4 * PART_BYTES },
        { size: 4 * PART_BYTES, sha256: sha256Hex('never') },
      ]) {
        const source = { ...breakingAfter(after), ...announced }
        await expect(store().createFrom(key, source)).rejects.toThrow(SourceFailed)
        await expect(store().createFrom(key, source)).rejects.toThrow('the disk broke')
        await expect(store().replaceFrom(`${key}-standing`, source, etag)).rejects.toThrow(SourceFailed)
      }
      expect((await store().list(key)).keys).toEqual([`${key}-standing`])
      expect((await store().get(`${key}-standing`))?.etag).toBe(etag)
      expect(await leftOvers()).toEqual([])
    },
  )

  it.each([100, LARGE])('refuses %i bytes that are not what was announced', async (size) => {
    const key = fresh()
    const bytes = randomBytes(size)
    for (const wrong of [{ size: size - 1 }, { size: size + 1 }, { size, sha256: sha256Hex('other') }])
      await expect(store().createFrom(key, streamOf(bytes, wrong)), JSON.stringify(wrong)).rejects.toThrow(
        SourceFailed,
      )
    expect(await store().head(key)).toBeNull()
    expect(await leftOvers()).toEqual([])
  })
}

function reading(store: Store): void {
  it('gives null for what is not there', async () => {
    expect(await store().read(fresh(), sha256Hex(''))).toBeNull()
    expect(await store().open(fresh())).toBeNull()
  })

  it.each([0, 100, LARGE])('fails at the end of %i bytes that have another digest', async (size) => {
    const key = fresh()
    const { sha256 } = await store().createFrom(key, streamOf(randomBytes(size)))
    const object = await store().read(key, sha256Hex('another'))
    let seen = 0
    const reading = (async () => {
      for await (const chunk of object?.stream ?? []) seen += (chunk as Buffer).length
    })()
    await expect(reading).rejects.toBeInstanceOf(ArtifactCorrupt)
    expect(seen).toBe(size)
    expect(await wholeOf(await store().read(key, sha256))).toHaveLength(size)
  })

  it.each([0, 100, LARGE])('opens %i bytes of any digest', async (size) => {
    const key = fresh()
    const bytes = randomBytes(size)
    await store().createFrom(key, streamOf(bytes))
    const object = await store().open(key)
    expect(object).toMatchObject({ key, size })
    expect(bytes.equals(await wholeOf(object))).toBe(true)
  })

  it('can be left before its end', async () => {
    const key = fresh()
    const { sha256 } = await store().createFrom(key, streamOf(randomBytes(UNBUFFERED)))
    for (const early of [true, false]) {
      const object = await store().read(key, sha256)
      if (!early) for await (const _ of object?.stream ?? []) break
      object?.stream.destroy()
      expect(object?.stream.destroyed).toBe(true)
    }
  })
}

function copying(store: Store): void {
  it.each([100, LARGE])('copies %i bytes of the etag that was named, and of no other', async (size) => {
    const [from, to] = [`${fresh()}/копія (1) + a&b=c%20.db`, fresh()]
    const bytes = randomBytes(size)
    const { etag, sha256 } = await store().createFrom(from, streamOf(bytes))
    await expect(store().copy(from, to, sha256Hex('another'))).rejects.toBeInstanceOf(ObjectConflict)
    await expect(store().copy(fresh(), to, etag)).rejects.toBeInstanceOf(ObjectConflict)
    expect(await store().head(to)).toBeNull()
    await store().create(to, Buffer.from('what a reader of the mirror saw before'))
    for (let twice = 0; twice < 2; twice++) {
      const copied = await store().copy(from, to, etag)
      expect(await store().head(to)).toMatchObject({ etag: copied.etag, size })
      expect(sha256Hex((await store().get(to))?.bytes ?? '')).toBe(sha256)
    }
    const changed = await store().replace(from, Buffer.from('changed'), etag)
    await expect(store().copy(from, to, etag)).rejects.toBeInstanceOf(ObjectConflict)
    expect(sha256Hex((await store().get(to))?.bytes ?? '')).toBe(sha256)
    await store().copy(from, to, changed.etag)
    await expect(store().replace(from, Buffer.from('on'), changed.etag)).resolves.toBeDefined()
  })
}

/** By the store's clock alone: nothing here looks at this machine's. */
function timing(store: Store): void {
  it('tells in one read what stands, since when, and what time it is', async () => {
    const key = fresh()
    const absent = await store().observe(key)
    expect(absent.object).toBeNull()
    const { etag } = await store().createFrom(key, sourceOf(Buffer.from('lease')))
    const found = await store().observe(key)
    expect(found.object).toMatchObject({ key, etag, bytes: new Uint8Array(Buffer.from('lease')) })
    const modified = found.object?.modified.getTime() ?? Number.NaN
    expect(modified).toBeGreaterThanOrEqual(absent.storeTime.getTime() - 2000)
    expect(modified).toBeLessThanOrEqual(found.storeTime.getTime() + 2000)
    expect((await store().head(key))?.modified).toEqual(found.object?.modified)
    await store().replace(key, Buffer.from('renewed'), etag)
    const renewed = await store().observe(key)
    expect(renewed.object?.modified.getTime()).toBeGreaterThanOrEqual(modified)
    expect(renewed.storeTime.getTime()).toBeGreaterThanOrEqual(found.storeTime.getTime())
  })
}
