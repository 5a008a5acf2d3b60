import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { sha256Hex } from '#server/ports/object-store.ts'

import { copyRoom, objectsOf } from './testing/copy-room.ts'

const room = copyRoom()
const { backup, restore } = room

test('a backup holds every snapshot that a pointer in it names, though pushes commit while it is made', async () => {
  const keys = projectKeys('abcdefabcdef')
  let pushes = 0
  let last = Promise.resolve()
  const push = () => {
    last = last.then(pushNext)
    return last
  }
  const pushNext = async () => {
    const text = `snapshot ${++pushes}`
    const sha256 = sha256Hex(text)
    await room.kit.store.create(keys.snapshot(sha256), Buffer.from(text))
    for (const key of [keys.lease, keys.pointer]) {
      const standing = await room.kit.store.get(key)
      await room.kit.store.replace(
        key,
        Buffer.from(JSON.stringify({ sha256, pushes })),
        standing?.etag ?? null,
      )
    }
  }
  for (let i = 0; i < 20; i++) await push()
  /** Reading the pointer, or the lease, takes as long as three pushes. */
  const pushing = async (key: string) => {
    if (key === keys.pointer || key === keys.lease) for (let i = 0; i < 3; i++) await push()
  }
  const spy = {
    list: room.kit.store.list.bind(room.kit.store),
    get: async (key: string) => {
      await pushing(key)
      return room.kit.store.get(key)
    },
    open: async (key: string) => {
      await pushing(key)
      return room.kit.store.open(key)
    },
  }
  await backup(spy)
  const { store } = await restore()
  const read = async (key: string) => JSON.parse(String(Buffer.from((await store.get(key))?.bytes ?? '')))
  const pointer = await read(keys.pointer)
  expect(await store.list(keys.snapshot(pointer.sha256))).toMatchObject({
    keys: [keys.snapshot(pointer.sha256)],
  })
  expect((await read(keys.lease)).pushes).toBeGreaterThanOrEqual(pointer.pushes)
})

test('a backup and its restore hold no large object in memory', async () => {
  const keys = projectKeys('abcdefabcdef')
  const large = [3_000_000, 1001].map((size) => randomBytes(size))
  for (const bytes of large) await room.kit.store.create(keys.snapshot(sha256Hex(bytes)), bytes)
  await room.kit.store.create(keys.mirror, randomBytes(200_000))
  await room.kit.store.create(keys.snapshot(sha256Hex('exactly')), randomBytes(1000))
  const refuse = (key: string, size: number) => {
    if (size > 1000) throw new Error(`${size} bytes of ${key} in memory at once`)
  }
  const reading = {
    list: room.kit.store.list.bind(room.kit.store),
    open: room.kit.store.open.bind(room.kit.store),
    get: async (key: string) => {
      const object = await room.kit.store.get(key)
      refuse(key, object?.bytes.length ?? 0)
      return object
    },
  }
  await backup(reading, undefined, 1000)
  const to = await openDirectoryStore(join(room.base, 'large'))
  const writing = {
    list: to.list.bind(to),
    createFrom: to.createFrom.bind(to),
    create: async (key: string, bytes: Uint8Array) => {
      refuse(key, bytes.length)
      return to.create(key, bytes)
    },
  }
  const spool = join(room.base, 'spool')
  await restore({ store: writing, spool, largeBytes: 1000 })
  expect(await objectsOf(to)).toEqual(await objectsOf(room.kit.store))
  expect(await readdir(spool)).toEqual([])
})
