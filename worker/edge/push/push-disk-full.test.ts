/** A push for which there is no room, on the node or in a store that is a folder: told, nothing changed, nothing left, and the next one ends well. */
import fs from 'node:fs'
import { expect, test } from 'vitest'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { fill, mountSmallDisk } from '../testing/small-disk.ts'
import {
  addRows,
  expectNoTemporaries,
  expectSynced,
  KEYS,
  makeFolderStore,
  makeSyncNode,
  objectText,
} from '../testing/sync-kit.ts'

const DISK_MIB = 4
/** Its snapshot would take more than half of the disk. */
const LARGE = { rows: 4_000 }

test('a snapshot for which the node has no room is not made', async (context) => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings)
  mountSmallDisk(context, node.path(), DISK_MIB)
  const roomy = makeSyncNode(settings, 'b', LARGE)
  fs.copyFileSync(roomy.database, node.database)
  const free = fill(node.path())
  const { exitCode, stderr } = await node.run(['push'])
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^ERROR: (not enough space|the disk is full)/),
  ])
  expect((await store.list('projects/')).keys).not.toContain(KEYS.pointer)
  free()
  expectNoTemporaries(node)
})

test('a store whose disk is full keeps what stood there', async (context) => {
  const folder = makeSyncNode({}, 'store', null).path('store')
  fs.mkdirSync(folder)
  mountSmallDisk(context, folder, DISK_MIB)
  const node = makeSyncNode({ MINIO_ENDPOINT: `file://${folder}` })
  expect(await node.run(['push'])).toMatchObject({ exitCode: 0 })
  const store = await openDirectoryStore(folder)
  const pointer = await objectText(store, KEYS.pointer)
  addRows(node.database, 500)
  const free = fill(folder)
  const { exitCode, stderr } = await node.run(['push'])
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^ERROR: /)])
  expect(await objectText(store, KEYS.pointer)).toBe(pointer)
  expectNoTemporaries(node)
  free()
  expect(await node.run(['push'])).toMatchObject({ exitCode: 0 })
  await expectSynced(store, node)
})
