import { randomBytes, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { sourceOf } from './byte-source.ts'
import {
  ObjectConflict,
  type ObjectStore,
  type ProbeCheck,
  type ProbeReport,
  StorageUnavailable,
  sha256Hex,
} from './object-store.ts'

/**
 * Sixteen checks of what a store really does [adapters#probe], through the port and on keys of their
 * own. A store that ignores conditions answers every write with success, which the checks of the losers find. The first call
 * that fails for good ends the probe: a store that does not answer would have every further check wait for all its attempts.
 */
type Probe = {
  store: ObjectStore
  streams: ObjectStore
  at: (name: string) => string
  bytes: (text: string) => Uint8Array
}
type Check = readonly [name: string, run: (probe: Probe) => Promise<boolean>]

/** What a stream of the checks holds; `probeObjectStore` is given a store to which this is a large one. */
export const PROBE_STREAM_BYTES = 1024
/** Finer than this no store need tell the time. */
const CLOCK_RESOLUTION_MS = 2_000

const same = (a: Uint8Array | undefined, b: Uint8Array): boolean =>
  a !== undefined && Buffer.from(a).equals(b)

async function conflicts(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return false
  } catch (error) {
    if (error instanceof ObjectConflict) return true
    throw error
  }
}

const CHECKS: readonly Check[] = [
  [
    'create-only writes a new key',
    async ({ store, at, bytes }) => (await store.create(at('one'), bytes('one'))).created,
  ],
  [
    'read after write',
    async ({ store, at, bytes }) => same((await store.get(at('one')))?.bytes, bytes('one')),
  ],
  [
    'create-only refuses an existing key',
    async ({ store, at, bytes }) => {
      const refused = await conflicts(store.create(at('one'), bytes('other')))
      return refused && same((await store.get(at('one')))?.bytes, bytes('one'))
    },
  ],
  [
    'the etag of a write is the etag of the object',
    async ({ store, at, bytes }) => {
      const written = await store.replace(at('etag'), bytes('etag'), null)
      return written.etag !== '' && written.etag === (await store.head(at('etag')))?.etag
    },
  ],
  [
    'replace with the current etag',
    async ({ store, at, bytes }) => {
      const first = await store.replace(at('cas'), bytes('first'), null)
      await store.replace(at('cas'), bytes('second'), first.etag)
      return same((await store.get(at('cas')))?.bytes, bytes('second'))
    },
  ],
  [
    'replace refuses a stale etag',
    async ({ store, at, bytes }) => {
      const first = await store.replace(at('stale'), bytes('first'), null)
      await store.replace(at('stale'), bytes('second'), first.etag)
      const refused = await conflicts(store.replace(at('stale'), bytes('third'), first.etag))
      return refused && same((await store.get(at('stale')))?.bytes, bytes('second'))
    },
  ],
  [
    'replace refuses a missing key',
    async ({ store, at, bytes }) => {
      const { etag } = await store.replace(at('etag-of'), bytes('x'), null)
      return (
        (await conflicts(store.replace(at('missing'), bytes('y'), etag))) &&
        (await store.get(at('missing'))) === null
      )
    },
  ],
  [
    'absence is definite',
    async ({ store, at }) =>
      (await store.get(at('never'))) === null && (await store.head(at('never'))) === null,
  ],
  [
    'list after write, in order and in pages',
    async ({ store, at, bytes }) => {
      const keys = ['l/a', 'l/b', 'l/c'].map(at)
      for (const key of keys) await store.create(key, bytes(key))
      const first = await store.list(at('l/'), { limit: 2 })
      const rest = await store.list(at('l/'), { after: first.next ?? '' })
      return JSON.stringify([...first.keys, ...rest.keys]) === JSON.stringify(keys)
    },
  ],
  [
    'a race of twenty has one winner',
    async ({ store, at, bytes }) => {
      const { etag } = await store.replace(at('race'), bytes('start'), null)
      const lost = await Promise.all(
        Array.from({ length: 20 }, (_, i) => conflicts(store.replace(at('race'), bytes(`racer ${i}`), etag))),
      )
      return lost.filter((loser) => !loser).length === 1
    },
  ],
  [
    'a large body comes back whole',
    async ({ store, at }) => {
      const body = new Uint8Array(randomBytes(2 * 1024 * 1024))
      await store.create(at('large'), body)
      return same((await store.get(at('large')))?.bytes, body)
    },
  ],
  [
    'keys in other scripts',
    async ({ store, at, bytes }) => {
      const key = at('нотатка (1) – Їжак’s.md')
      await store.create(key, bytes('ї'))
      return same((await store.get(key))?.bytes, bytes('ї')) && (await store.list(key)).keys[0] === key
    },
  ],
  [
    'a large streamed write is conditional to its end',
    async ({ store, streams, at }) => {
      const [first, second, third] = [1, 2, 3].map(() => randomBytes(PROBE_STREAM_BYTES))
      const key = at('stream')
      const { created, etag } = await streams.createFrom(key, sourceOf(first as Buffer))
      const taken = await conflicts(streams.createFrom(key, sourceOf(second as Buffer)))
      await streams.replaceFrom(key, sourceOf(second as Buffer), etag)
      const stale = await conflicts(streams.replaceFrom(key, sourceOf(third as Buffer), etag))
      const missing = await conflicts(streams.replaceFrom(at('no-stream'), sourceOf(third as Buffer), etag))
      const stands = same((await store.get(key))?.bytes, second as Buffer)
      return created && taken && stale && missing && stands && (await store.head(at('no-stream'))) === null
    },
  ],
  [
    'a streamed read after a streamed write',
    async ({ store, streams, at }) => {
      const body = randomBytes(PROBE_STREAM_BYTES)
      const { sha256 } = await streams.createFrom(at('streamed'), sourceOf(body))
      const object = await store.read(at('streamed'), sha256)
      return object !== null && same(await buffer(object.stream), body)
    },
  ],
  [
    'a copy of the object that was meant, and of no other',
    async ({ store, at, bytes }) => {
      const { etag } = await store.create(at('original'), bytes('original'))
      const refused = await conflicts(store.copy(at('original'), at('copy'), sha256Hex('another')))
      const none = (await store.get(at('copy'))) === null
      await store.copy(at('original'), at('copy'), etag)
      return refused && none && same((await store.get(at('copy')))?.bytes, bytes('original'))
    },
  ],
  [
    'the store tells its time, and dates objects by it',
    async ({ store, at, bytes }) => {
      const start = performance.now()
      await store.create(at('dated'), bytes('dated'))
      const { object, storeTime } = await store.observe(at('dated'))
      const age = storeTime.getTime() - (object?.modified.getTime() ?? Number.NaN)
      return age >= -CLOCK_RESOLUTION_MS && age <= performance.now() - start + CLOCK_RESOLUTION_MS
    },
  ],
]

async function attempt([name, run]: Check, probe: Probe): Promise<ProbeCheck> {
  try {
    return { name, ok: await run(probe) }
  } catch (error) {
    const failed = { name, ok: false, detail: error instanceof Error ? error.message : String(error) }
    if (!(error instanceof StorageUnavailable)) return failed
    return { ...failed, undecided: error.refused ? 'refused' : 'no answer' }
  }
}

const CLEARING_UP: Check = [
  'clearing up',
  async ({ store, at }) => {
    for (const key of (await store.list(at(''))).keys) await store.remove(key)
    return true
  },
]

/**
 * Runs the checks one after another, up to the first that the store does not answer, and removes what they wrote; never
 * throws. `streams` is the store for streamed writes.
 */
export async function probeObjectStore(
  store: ObjectStore,
  name: string,
  streams = store,
): Promise<ProbeReport> {
  const folder = `probe/${randomUUID()}`
  const probe: Probe = {
    store,
    streams,
    at: (key) => `${folder}/${key}`,
    bytes: (text) => new TextEncoder().encode(text),
  }
  const checks: ProbeCheck[] = []
  for (const check of CHECKS) {
    const ended = checks.at(-1)?.undecided !== undefined
    checks.push(ended ? { name: check[0], ok: false, undecided: 'not reached' } : await attempt(check, probe))
  }
  const cleared = await attempt(CLEARING_UP, probe)
  if (!cleared.ok) checks.push(cleared)
  return { ok: checks.every((check) => check.ok), store: name, checks }
}
