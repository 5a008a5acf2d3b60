import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { createStoreConditions } from '#server/objects/store-conditions.ts'
import type { ObjectStore, ProbeReport } from '#server/ports/object-store.ts'
import { probeObjectStore } from '#server/ports/probe-object-store.ts'
import { storeConditionsLoop } from './store-conditions.loop.ts'

async function logOf(store: ObjectStore) {
  const lines: { level: string; fields: object; message: string }[] = []
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields, message })
  const storeConditions = createStoreConditions(store, () => new Date())
  const log = { info: at('info'), warn: at('warn'), error: at('error') }
  const loop = storeConditionsLoop({ storeConditions, log })
  expect(await loop.tick(new AbortController().signal, () => undefined)).toBe('idle')
  // What the log says of a store, its health says too.
  expect(loop.fault() === null).toBe(lines.every((line) => line.level === 'info'))
  return lines
}

async function directory(): Promise<ObjectStore> {
  const root = await mkdtemp(join(tmpdir(), 'bloom-conditions-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  return openDirectoryStore(root)
}

test('a store that keeps conditional writes is named', async () => {
  expect(await logOf(await directory())).toEqual([
    {
      level: 'info',
      fields: { store: expect.any(String) },
      message: 'the object store keeps conditional writes',
    },
  ])
})

test('a store that takes stale writes for success is refused in so many words, and left clean', async () => {
  const real = await directory()
  const careless: ObjectStore = {
    create: (key, bytes) => real.create(key, bytes),
    createMany: (objects) => real.createMany(objects),
    replace: async (key, bytes) => real.replace(key, bytes, (await real.head(key))?.etag ?? null),
    createFrom: (key, source) => real.createFrom(key, source),
    replaceFrom: async (key, source) => real.replaceFrom(key, source, (await real.head(key))?.etag ?? null),
    copy: (from, to, etag) => real.copy(from, to, etag),
    read: (key, sha256) => real.read(key, sha256),
    open: (key) => real.open(key),
    observe: (key) => real.observe(key),
    get: (key) => real.get(key),
    head: (key) => real.head(key),
    list: (prefix, options) => real.list(prefix, options),
    remove: (key) => real.remove(key),
    probe: () => probeObjectStore(careless, 'careless'),
  }
  const [line] = await logOf(careless)
  expect(line).toMatchObject({ level: 'error', fields: { store: 'careless' } })
  expect(line?.message).toContain('replace refuses a stale etag')
  expect(line?.message).toContain('refused for leadership and locks')
  expect((await real.list('')).keys).toEqual([])
})

test('a store that did not answer is checked at every tick until it does, and logged once', async () => {
  const away: ProbeReport = {
    ok: false,
    store: 's',
    checks: [
      { name: 'read after write', ok: false, undecided: 'no answer', detail: 'away' },
      { name: 'absence is definite', ok: false, undecided: 'not reached' },
    ],
  }
  const fit: ProbeReport = { ok: true, store: 's', checks: [{ name: 'read after write', ok: true }] }
  const reports = [away, away, fit, away]
  let time = 0
  const probe = async () => reports.shift() ?? fit
  const storeConditions = createStoreConditions({ probe }, () => new Date(time))
  const lines: [level: string, fields: object, message: string][] = []
  const at = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message])
  const log = { info: at('info'), warn: at('warn'), error: at('error') }
  const loop = storeConditionsLoop({ storeConditions, log }, () => time)
  expect(loop.everyMs).toBeLessThanOrEqual(60_000)
  const tick = async (ms: number) => {
    time += ms
    await loop.tick(new AbortController().signal, () => undefined)
    return loop.fault()
  }
  const fault = 'The object store did not answer the check of its conditional writes: read after write.'
  expect(await tick(0)).toBe(fault)
  expect(lines).toEqual([
    [
      'warn',
      { store: 's', failed: [away.checks[0]] },
      `${fault} It is refused for leadership and locks until a check has passed.`,
    ],
  ])
  expect(await tick(45_000)).toBe(fault)
  expect(lines).toHaveLength(1)
  expect(await tick(45_000)).toBeNull()
  expect(lines[1]?.[0]).toBe('info')
  // Found fit, it is left alone for an hour.
  expect(await tick(3_599_999)).toBeNull()
  expect(reports).toHaveLength(1)
  expect(await tick(1)).toBe(fault)
})
