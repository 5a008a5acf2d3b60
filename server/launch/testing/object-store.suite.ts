import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TRAVERSAL_VECTORS } from '#domain/garden/traversal-vectors.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { sourceOf } from '#server/ports/byte-source.ts'
import {
  ArtifactCorrupt,
  casKey,
  getVerified,
  ObjectConflict,
  type ObjectStore,
  sha256Hex,
} from '#server/ports/object-store.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (data: Uint8Array | undefined) => (data ? new TextDecoder().decode(data) : undefined)

/** What every adapter of the object store must do; `open` gives a store of one's own, shared by the tests of the suite. */
export function objectStoreSuite(
  name: string,
  open: () => Promise<{ store: ObjectStore; close: () => Promise<void> }>,
): void {
  describe(`object store: ${name}`, () => {
    let store: ObjectStore
    let close: () => Promise<void>
    beforeAll(async () => {
      const opened = await open()
      store = opened.store
      close = opened.close
    })
    afterAll(() => close?.())
    const fresh = (folder = 'suite') => `${folder}/${randomUUID()}`

    writing(() => store, fresh)
    reading(() => store, fresh)
    racing(() => store, fresh)

    it('passes its own probe and leaves nothing behind', async () => {
      const report = await store.probe()
      expect(report.checks.filter((check) => !check.ok)).toEqual([])
      expect(report.checks).toHaveLength(16)
      expect(report.ok).toBe(true)
      expect((await store.list('probe/')).keys).toEqual([])
    })
  })
}

type Store = () => ObjectStore
type Fresh = (folder?: string) => string

function writing(store: Store, fresh: Fresh): void {
  it('creates once, takes equal content as success and refuses other content', async () => {
    const key = fresh()
    const first = await store().create(key, bytes('content'))
    expect(first.created).toBe(true)
    expect(await store().create(key, bytes('content'))).toEqual({ created: false, etag: first.etag })
    await expect(store().create(key, bytes('contenT'))).rejects.toBeInstanceOf(ObjectConflict)
    expect(await store().get(key)).toMatchObject({ key, etag: first.etag })
    expect(text((await store().get(key))?.bytes)).toBe('content')
  })

  it('creates many at once, and tells of each what became of it', async () => {
    const base = fresh()
    const key = (name: string) => `${base}/${name}`
    const standing = await store().create(key('stood'), bytes('stood'))
    await store().create(key('other'), bytes('another'))
    const named = ['one', 'deeper/two', 'stood', 'other', 'deeper/three', 'empty']
    const content = (name: string) => bytes(name === 'empty' ? '' : name)
    const made = await store().createMany(named.map((name) => ({ key: key(name), bytes: content(name) })))
    expect(made.map((one) => ('conflict' in one ? one.conflict.key : one.created))).toEqual([
      ...[true, true, false, key('other'), true, true],
    ])
    expect(made[2]).toEqual({ created: false, etag: standing.etag })
    for (const [n, name] of named.entries()) {
      const found = await store().get(key(name))
      expect(text(found?.bytes)).toBe(name === 'other' ? 'another' : text(content(name)))
      if (name !== 'other') expect(made[n]).toMatchObject({ etag: found?.etag })
    }
    expect(await store().createMany([])).toEqual([])
  })

  it('creates none of many when one has a key that is not allowed', async () => {
    const key = fresh()
    const many = [key, '../x'].map((one) => ({ key: one, bytes: bytes('x') }))
    await expect(store().createMany(many)).rejects.toBeInstanceOf(Refused)
    expect(await store().get(key)).toBeNull()
  })

  it('replaces by compare-and-set alone', async () => {
    const key = fresh()
    const first = await store().replace(key, bytes('1'), null)
    await expect(store().replace(key, bytes('2'), null)).rejects.toBeInstanceOf(ObjectConflict)
    const second = await store().replace(key, bytes('2'), first.etag)
    expect(second.etag).not.toBe(first.etag)
    await expect(store().replace(key, bytes('3'), first.etag)).rejects.toBeInstanceOf(ObjectConflict)
    expect(text((await store().get(key))?.bytes)).toBe('2')
    expect((await store().head(key))?.etag).toBe(second.etag)
    await store().replace(key, bytes('3'), second.etag)
    expect(text((await store().get(key))?.bytes)).toBe('3')
  })

  it('takes a repeat of a write that already stands as success', async () => {
    const key = fresh()
    const first = await store().replace(key, bytes('1'), null)
    expect(await store().replace(key, bytes('1'), null)).toEqual(first)
    const second = await store().replace(key, bytes('2'), first.etag)
    expect(await store().replace(key, bytes('2'), first.etag)).toEqual(second)
  })

  it('does not make an object by replacing one that is gone', async () => {
    const key = fresh()
    const { etag } = await store().replace(fresh(), bytes('x'), null)
    await expect(store().replace(key, bytes('y'), etag)).rejects.toBeInstanceOf(ObjectConflict)
    expect(await store().get(key)).toBeNull()
  })

  it('removes, and takes an absent key as removed', async () => {
    const key = fresh()
    await store().create(key, bytes('x'))
    await store().remove(key)
    expect(await store().get(key)).toBeNull()
    await store().remove(key)
    expect((await store().create(key, bytes('y'))).created).toBe(true)
  })

  it('refuses every key that leads out of the store', async () => {
    const keys = [
      '',
      '/',
      '/a',
      'a/',
      'a//b',
      '..',
      '../a',
      'a/../b',
      './a',
      'a/.',
      'a\0',
      'a\nb',
      'a\\b',
      'e\u0301',
    ]
    const climbing = TRAVERSAL_VECTORS.filter((vector) => vector.split(/[/\\]/).includes('..'))
    expect(climbing.length).toBeGreaterThan(3)
    for (const key of [...keys, ...climbing, 'a'.repeat(256), `${'a/'.repeat(600)}b`]) {
      for (const use of [
        () => store().get(key),
        () => store().head(key),
        () => store().create(key, bytes('x')),
        () => store().replace(key, bytes('x'), null),
        () => store().remove(key),
        () => store().createFrom(key, sourceOf(bytes('x'))),
        () => store().replaceFrom(key, sourceOf(bytes('x')), null),
        () => store().read(key, sha256Hex('x')),
        () => store().observe(key),
        () => store().copy(key, 'to', 'e'),
        () => store().copy('from', key, 'e'),
      ]) {
        await expect(use(), JSON.stringify(key)).rejects.toBeInstanceOf(Refused)
      }
    }
  })
}

function reading(store: Store, fresh: Fresh): void {
  it('gives null for what is not there', async () => {
    expect(await store().get(fresh())).toBeNull()
    expect(await store().head(fresh())).toBeNull()
    expect(await store().list(`${fresh()}/`)).toEqual({ keys: [], next: null })
    const key = fresh()
    await store().create(`${key}/below`, bytes('x'))
    expect(await store().get(key)).toBeNull()
    await expect(store().get(`${key}/below/deeper`)).resolves.toBeNull()
  })

  it('keeps bytes as they are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (data) => {
        const key = fresh('bytes')
        await store().create(key, data)
        const read = await store().get(key)
        expect(Buffer.from(read?.bytes ?? []).equals(Buffer.from(data))).toBe(true)
        expect(await store().head(key)).toMatchObject({ size: data.length, etag: read?.etag })
      }),
      { numRuns: 15, seed: 8 },
    )
  })

  it('dates the last write', async () => {
    const key = fresh()
    await store().create(key, bytes('x'))
    const modified = (await store().head(key))?.modified.getTime() ?? 0
    expect(Math.abs(modified - Date.now())).toBeLessThan(24 * 3600_000)
  })

  it('lists in byte order of whole keys, by prefix and in pages', async () => {
    const base = fresh('list')
    const names = ['a', 'a-b', 'a/b', 'a/c/d', 'a.b', 'a0', 'b/x', 'Z', 'ї', 'я/1', '\u{1f331}', '\uff21']
    for (const name of names) await store().create(`${base}/${name === 'a' ? 'a!' : name}`, bytes(name))
    const expected = names
      .map((name) => `${base}/${name === 'a' ? 'a!' : name}`)
      .sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)))
    expect((await store().list(`${base}/`)).keys).toEqual(expected)
    expect((await store().list(`${base}/a/`)).keys).toEqual([`${base}/a/b`, `${base}/a/c/d`])
    expect((await store().list(`${base}/a`)).keys).toEqual(
      expected.filter((key) => key.startsWith(`${base}/a`)),
    )
    const paged: string[] = []
    let after: string | null = ''
    while (after !== null) {
      const page = await store().list(`${base}/`, { after, limit: 5 })
      expect(page.keys.length).toBeLessThanOrEqual(5)
      paged.push(...page.keys)
      after = page.next
    }
    expect(paged).toEqual(expected)
  })

  it('checks digests when it is asked to, and never serves other bytes', async () => {
    const data = bytes(`document ${randomUUID()}`)
    const digest = sha256Hex(data)
    await store().create(casKey(digest), data)
    expect(await getVerified(store(), casKey(digest), digest)).toEqual(data)
    const forged = casKey(sha256Hex(randomUUID()))
    await store().create(forged, data)
    await expect(getVerified(store(), forged, forged.slice(-64))).rejects.toBeInstanceOf(ArtifactCorrupt)
    expect(await getVerified(store(), fresh(), digest)).toBeNull()
    expect(() => casKey('../x')).toThrow(TypeError)
  })
}

function racing(store: Store, fresh: Fresh): void {
  const outcomes = async (writes: Promise<unknown>[]) => {
    const settled = await Promise.allSettled(writes)
    const lost = settled.filter((one) => one.status === 'rejected')
    for (const one of lost) expect(one.reason).toBeInstanceOf(ObjectConflict)
    return settled.flatMap((one, i) => (one.status === 'fulfilled' ? [i] : []))
  }

  it('lets exactly one of many creators win', async () => {
    const key = fresh()
    const won = await outcomes(
      Array.from({ length: 16 }, (_, i) => store().create(key, bytes(`creator ${i}`))),
    )
    expect(won).toHaveLength(1)
    expect(text((await store().get(key))?.bytes)).toBe(`creator ${won[0]}`)
  })

  it('lets exactly one of many win each key, and the rest of their objects stand', async () => {
    const keys = Array.from({ length: 6 }, () => fresh())
    const many = Array.from({ length: 4 }, (_, who) =>
      store().createMany([
        ...keys.map((key) => ({ key, bytes: bytes(`creator ${who}`) })),
        { key: `${keys[0]}-${who}`, bytes: bytes('own') },
        { key: `${keys[0]}-${who}`, bytes: bytes('again') },
      ]),
    )
    const made = await Promise.all(many)
    for (const [n, key] of keys.entries()) {
      const winners = made.flatMap((one, who) => ('conflict' in (one[n] ?? {}) ? [] : [who]))
      expect(winners).toHaveLength(1)
      expect(text((await store().get(key))?.bytes)).toBe(`creator ${winners[0]}`)
    }
    for (const one of made) expect(one.slice(6).filter((own) => 'etag' in own && own.created)).toHaveLength(1)
  })

  it('lets exactly one of many replacers win', async () => {
    const key = fresh()
    let { etag } = await store().replace(key, bytes('start'), null)
    for (let round = 0; round < 3; round++) {
      const writes = Array.from({ length: 8 }, (_, i) => store().replace(key, bytes(`${round}.${i}`), etag))
      const won = await outcomes(writes)
      expect(won).toHaveLength(1)
      const now = await store().get(key)
      expect(text(now?.bytes)).toBe(`${round}.${won[0]}`)
      etag = now?.etag ?? ''
    }
  })

  it('lets equal creators all succeed', async () => {
    const key = fresh()
    const made = await Promise.all(Array.from({ length: 8 }, () => store().create(key, bytes('equal'))))
    expect(made.filter((one) => one.created)).toHaveLength(1)
  })
}
