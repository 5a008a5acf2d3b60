import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { type ByteSource, measure } from './byte-source.ts'
import { type ObjectStore, StorageUnavailable, sha256Hex } from './object-store.ts'
import { probeObjectStore } from './probe-object-store.ts'
import { verifiedStream } from './verified-stream.ts'

/** A store in memory that does as it is told and looks at no condition. */
function heedlessStore() {
  const objects = new Map<string, Uint8Array>()
  const write = (key: string, data: Uint8Array) => {
    objects.set(key, data)
    return { created: true, etag: sha256Hex(data) }
  }
  const writeFrom = async (key: string, source: ByteSource) => {
    const written = write(key, await buffer(source.open()))
    return { ...written, ...(await measure(source)) }
  }
  const get = async (key: string) => {
    const bytes = objects.get(key)
    return bytes ? { key, bytes, etag: sha256Hex(bytes), modified: new Date(0) } : null
  }
  const store: ObjectStore = {
    create: async (key, data) => write(key, data),
    createMany: async (many) => many.map(({ key, bytes }) => write(key, bytes)),
    replace: async (key, data) => write(key, data),
    createFrom: writeFrom,
    replaceFrom: writeFrom,
    copy: async (from, to) => write(to, objects.get(from) ?? new Uint8Array()),
    get,
    head: async (key) => {
      const found = await get(key)
      return found && { ...found, size: found.bytes.length }
    },
    observe: async (key) => ({ object: await get(key), storeTime: new Date(60_000) }),
    read: async (key, sha256) => {
      const left = [objects.get(key) ?? new Uint8Array()]
      const size = left[0]?.length ?? 0
      const reader = { next: async () => left.shift() ?? null, close: () => undefined }
      return { key, size, etag: sha256, stream: verifiedStream({ key, size, sha256 }, reader) }
    },
    open: async (key) => store.read(key, sha256Hex(objects.get(key) ?? '')),
    list: async (prefix) => ({
      keys: [...objects.keys()].filter((key) => key.startsWith(prefix)),
      next: null,
    }),
    remove: async (key) => void objects.delete(key),
    probe: () => probeObjectStore(store, 'heedless'),
  }
  return { store, objects }
}

test('the probe finds a store that ignores conditions, and clears up', async () => {
  const { store, objects } = heedlessStore()
  const report = await store.probe()
  expect(report.ok).toBe(false)
  expect(report.checks.filter((check) => !check.ok).map((check) => check.name)).toEqual([
    'create-only refuses an existing key',
    'replace refuses a stale etag',
    'replace refuses a missing key',
    'list after write, in order and in pages',
    'a race of twenty has one winner',
    'a large streamed write is conditional to its end',
    'a copy of the object that was meant, and of no other',
    'the store tells its time, and dates objects by it',
  ])
  expect(objects.size).toBe(0)
})

test.each([
  ['no answer' as const, false],
  ['refused' as const, true],
])('the first call that ends in %s ends the probe', async (undecided, refused) => {
  const { store } = heedlessStore()
  let calls = 0
  const away = async () => {
    calls++
    throw new StorageUnavailable('away', { refused })
  }
  const report = await probeObjectStore({ ...store, get: away, list: away }, 'away')
  expect(calls).toBe(2)
  expect(report.ok).toBe(false)
  expect(report.checks).toHaveLength(17)
  expect(report.checks.slice(0, 3)).toEqual([
    { name: 'create-only writes a new key', ok: true },
    { name: 'read after write', ok: false, detail: 'away', undecided },
    { name: 'create-only refuses an existing key', ok: false, undecided: 'not reached' },
  ])
  expect(report.checks.slice(2, 16).every((check) => check.undecided === 'not reached')).toBe(true)
  expect(report.checks.at(-1)).toEqual({ name: 'clearing up', ok: false, detail: 'away', undecided })
})
