import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Refused } from '#domain/kernel/errors.ts'
import { objectStoreSuite } from '#server/launch/testing/object-store.suite.ts'
import { objectStreamsSuite } from '#server/launch/testing/object-streams.suite.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { type ObjectStore, StorageUnavailable, sha256Hex } from '#server/ports/object-store.ts'
import { openDirectoryStore } from './directory.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const folder = () => mkdtemp(join(tmpdir(), 'bloom-store-'))

objectStoreSuite('directory', async () => {
  const root = await folder()
  return { store: await openDirectoryStore(root), close: () => rm(root, { recursive: true, force: true }) }
})

objectStoreSuite('directory, together', async () => {
  const root = await folder()
  const store = await openDirectoryStore(root, { together: true })
  return { store, close: () => rm(root, { recursive: true, force: true }) }
})

objectStreamsSuite('directory', async () => {
  const root = await folder()
  return {
    store: await openDirectoryStore(root),
    leftOvers: async () => [
      ...(await readdir(join(root, '.store/staging'))),
      ...(await readdir(join(root, '.store/locks'))),
    ],
    close: () => rm(root, { recursive: true, force: true }),
  }
})

describe('the directory itself', () => {
  let root: string
  let store: ObjectStore
  beforeEach(async () => {
    root = await folder()
    store = await openDirectoryStore(root)
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  it('keeps the canonical layout as plain files and its own things apart', async () => {
    await store.create('agents/x/_agent.md', bytes('x'))
    expect(await readFile(join(root, 'agents/x/_agent.md'), 'utf8')).toBe('x')
    expect((await store.list('')).keys).toEqual(['agents/x/_agent.md'])
    expect(await readdir(join(root, '.store/staging'))).toEqual([])
    expect(await readdir(join(root, '.store/locks'))).toEqual([])
    await expect(store.create('.store/locks/x', bytes('x'))).rejects.toBeInstanceOf(Refused)
    await expect(store.get('.store/locks/x')).rejects.toBeInstanceOf(Refused)
  })

  it('follows no link out of the store, in no component', async () => {
    const outside = await folder()
    await writeFile(join(outside, 'secret'), 'secret')
    await mkdir(join(root, 'd'))
    await symlink(join(outside, 'secret'), join(root, 'd/file'))
    await symlink(outside, join(root, 'd/folder'))
    for (const key of ['d/file', 'd/folder/secret']) {
      await expect(store.get(key), key).rejects.toBeInstanceOf(StorageUnavailable)
      await expect(store.head(key), key).rejects.toBeInstanceOf(StorageUnavailable)
      await expect(store.create(key, bytes('x')), key).rejects.toBeInstanceOf(StorageUnavailable)
      await expect(store.remove(key), key).rejects.toBeInstanceOf(StorageUnavailable)
    }
    await expect(store.create('d/folder/new', bytes('x'))).rejects.toBeInstanceOf(StorageUnavailable)
    expect(await readdir(outside)).toEqual(['secret'])
    expect((await store.list('')).keys).toEqual([])
    expect((await store.list('d/folder/')).keys).toEqual([])
    await rm(outside, { recursive: true })
  })

  it('says unavailable, not absent, when the disk does not answer', async () => {
    await rm(join(root, '.store'), { recursive: true })
    await expect(store.create('a', bytes('x'))).rejects.toBeInstanceOf(StorageUnavailable)
    expect(await readdir(root)).toEqual([])
    await writeFile(join(root, '.store'), '')
    await expect(store.replace('a', bytes('x'), null)).rejects.toBeInstanceOf(StorageUnavailable)
  })

  it('names nothing of many when the disk fails before they are flushed', async () => {
    await rm(join(root, '.store/staging'), { recursive: true })
    const many = ['a', 'd/b'].map((key) => ({ key, bytes: bytes('x') }))
    await expect(store.createMany(many)).rejects.toBeInstanceOf(StorageUnavailable)
    expect((await store.list('')).keys).toEqual([])
  })

  it('blocks those of many that have a shorter key in the way, and follows no link', async () => {
    await store.create('d/short', bytes('x'))
    const many = ['d/short/long', 'e/free'].map((key) => ({ key, bytes: bytes('x') }))
    const [blocked, free] = await store.createMany(many)
    expect(blocked).toMatchObject({ conflict: { key: 'd/short/long' } })
    expect(free).toMatchObject({ created: true })
    expect(await readdir(join(root, '.store/staging'))).toEqual([])
    const outside = await folder()
    await symlink(outside, join(root, 'd/folder'))
    const linked = [{ key: 'd/folder/new', bytes: bytes('x') }]
    await expect(store.createMany(linked)).rejects.toBeInstanceOf(StorageUnavailable)
    expect(await readdir(outside)).toEqual([])
  })

  it('lets no object suffer from what is wrong with one that is created meanwhile', async () => {
    const together = await openDirectoryStore(root, { together: true })
    const outside = await folder()
    await symlink(outside, join(root, 'linked'))
    await together.create('d/short', bytes('x'))
    const create = (key: string, text: string) => together.create(key, bytes(text))
    const [good, linked, below, other, same, large] = await Promise.allSettled([
      create('d/good', 'good'),
      create('linked/new', 'x'),
      create('d/short/long', 'x'),
      create('d/short', 'another'),
      create('d/short', 'x'),
      create('d/large', 'x'.repeat(1024 * 1024)),
    ])
    expect(good).toMatchObject({ value: { created: true } })
    expect(linked).toMatchObject({ reason: expect.any(StorageUnavailable) })
    expect(below).toMatchObject({ reason: { name: 'ObjectConflict' } })
    expect(other).toMatchObject({ reason: { name: 'ObjectConflict' } })
    expect(same).toMatchObject({ value: { created: false } })
    expect(large).toMatchObject({ value: { created: true } })
    expect(await readdir(outside)).toEqual([])
    expect(await readdir(join(root, '.store/staging'))).toEqual([])
  })

  it('leaves each of many whole or not at all when it is killed', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', createBatches(root)])
    const named = async () => (await store.list('batch/')).keys
    await waitUntil(async () => (await named()).length > 20)
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    const keys = await named()
    for (const key of keys) expect((await store.head(key))?.etag).toBe(key.split('/').at(-1))
    const staging = join(root, '.store/staging')
    for (const name of await readdir(staging)) await utimes(join(staging, name), new Date(0), new Date(0))
    await openDirectoryStore(root)
    expect(await readdir(staging)).toEqual([])
    const [again] = await store.createMany([{ key: keys[0] as string, bytes: bytes('another') }])
    expect(again).toMatchObject({ conflict: { key: keys[0] } })
  })

  it('sweeps what killed writers left behind, and only that', async () => {
    const staging = join(root, '.store/staging')
    await writeFile(join(staging, 'old'), 'x')
    await writeFile(join(staging, 'young'), 'x')
    await utimes(join(staging, 'old'), new Date(0), new Date(0))
    await openDirectoryStore(root)
    expect(await readdir(staging)).toEqual(['young'])
  })

  it('takes over the lock of a killed process, and of a foreign one only when it is old', async () => {
    const key = 'leadership/lease.json'
    const lock = join(root, '.store/locks', sha256Hex(key))
    const { etag } = await store.replace(key, bytes('1'), null)
    const child = spawn(process.execPath, ['--input-type=module', '-e', holdLock(root, key, etag)])
    await waitUntil(() => stat(lock))
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    expect((await readFile(lock, 'utf8')).length).toBeGreaterThan(10)
    const second = await store.replace(key, bytes('2'), etag)
    await writeFile(lock, 'a foreign tool')
    await utimes(lock, new Date(0), new Date(0))
    await store.replace(key, bytes('3'), second.etag)
    expect(await readdir(join(root, '.store/locks'))).toEqual([])
  })

  it('lets writers of several processes increase one counter without a loss', async () => {
    await store.replace('counter', bytes('0'), null)
    const children = Array.from({ length: 3 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', countTo(root, 15)], {
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    )
    const codes = await Promise.all(
      children.map((child) => new Promise((resolve) => child.once('exit', resolve))),
    )
    expect(codes).toEqual([0, 0, 0])
    expect(new TextDecoder().decode((await store.get('counter'))?.bytes)).toBe('45')
  }, 240_000)
})

const here = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)

/** A process that takes the lock of a key as the store does, and never lets go. */
const holdLock = (root: string, key: string, etag: string) => `
  import { withFileLock } from ${here('../file-system/file-lock.ts')}
  const path = ${JSON.stringify(join(root, '.store/locks', sha256Hex(key)))}
  await withFileLock({ path, staging: ${JSON.stringify(join(root, '.store/staging'))} }, () => new Promise((resolve) => setTimeout(resolve, 1e8, ${JSON.stringify(etag)})))
`

/** A process that creates many objects at a time, named by what they hold, until it is killed. */
const createBatches = (root: string) => `
  import { createHash, randomBytes } from 'node:crypto'
  import { openDirectoryStore } from ${here('./directory.ts')}
  const store = await openDirectoryStore(${JSON.stringify(root)})
  for (let n = 0; ; n++) {
    const many = Array.from({ length: 60 }, (_, i) => randomBytes(30_000 + i))
    await store.createMany(
      many.map((bytes, i) => ({ key: 'batch/' + (i % 3) + '/' + createHash('sha256').update(bytes).digest('hex'), bytes })),
    )
  }
`

const countTo = (root: string, times: number) => `
  import { openDirectoryStore } from ${here('./directory.ts')}
  const store = await openDirectoryStore(${JSON.stringify(root)})
  for (let done = 0; done < ${times}; ) {
    const now = await store.get('counter')
    const [count] = new TextDecoder().decode(now.bytes).split(' ')
    const next = new TextEncoder().encode(String(Number(count) + 1) + ' ' + process.pid)
    try {
      await store.replace('counter', next, now.etag)
      done++
    } catch (error) {
      if (error.name !== 'ObjectConflict') throw error
    }
  }
  const last = await store.get('counter')
  const [sum] = new TextDecoder().decode(last.bytes).split(' ')
  if (Number(sum) === 45) await store.replace('counter', new TextEncoder().encode('45'), last.etag).catch(() => undefined)
`
