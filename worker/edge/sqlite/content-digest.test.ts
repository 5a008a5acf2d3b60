import fs from 'node:fs'
import { expect, test } from 'vitest'
import { addObservations, change, makeMemoryFile } from '../testing/memory-file.ts'
import { makeNodeHome, type NodeHome } from '../testing/node-home.ts'
import { digestFile } from './file-digest.ts'
import { takeSnapshot } from './snapshot.ts'

const snapshotOf = (file: string) => takeSnapshot(file, { maxBytes: 2 ** 31 })

async function digests(node: NodeHome, file = node.path('m.db')) {
  const { contentSha256, sha256 } = await snapshotOf(file)
  return { contentSha256, sha256 }
}

test('two vacuums of one content agree, and so does a vacuum of a vacuum, though the plain hashes do not', async () => {
  const node = makeNodeHome()
  const file = makeMemoryFile(node.path('m.db'), { rows: 300, tables: 28 })
  const [first, second] = [await snapshotOf(file), await snapshotOf(file)]
  const third = await snapshotOf(second.path)
  expect(second.contentSha256).toBe(first.contentSha256)
  expect(third.contentSha256).toBe(first.contentSha256)
  expect(third.sha256).not.toBe(first.sha256)
})

test('survives a pull: the fetched file, written by a worker that changes nothing, has the same digest', async () => {
  const node = makeNodeHome()
  const pushed = await snapshotOf(makeMemoryFile(node.path('m.db'), { rows: 300 }))
  fs.copyFileSync(pushed.path, node.path('pulled.db'))
  change(
    node.path('pulled.db'),
    'PRAGMA journal_mode = WAL; CREATE TABLE t (a); DROP TABLE t; PRAGMA user_version = 0',
  )
  const { contentSha256 } = await digests(node, node.path('pulled.db'))
  expect(contentSha256).toBe(pushed.contentSha256)
})

test.each([
  ['a changed row', "UPDATE observations SET narrative = 'other' WHERE id = 7"],
  ['a removed row', 'DELETE FROM observations WHERE id = 7'],
  ['a new table', 'CREATE TABLE extra (a)'],
  ['a version of the schema', 'PRAGMA user_version = 9'],
])('%s differs', async (_what, statement) => {
  const node = makeNodeHome()
  const file = makeMemoryFile(node.path('m.db'), { rows: 50 })
  const before = await digests(node)
  change(file, statement)
  expect((await digests(node)).contentSha256).not.toBe(before.contentSha256)
})

test('blanks 16 bytes of the header and not one more', async () => {
  const node = makeNodeHome()
  const bytes = Buffer.alloc(200, 1)
  const fileOf = (buffer: Buffer) => {
    fs.writeFileSync(node.path('x'), buffer)
    return digestFile(node.path('x'))
  }
  const { contentSha256 } = await fileOf(bytes)
  const counted: number[] = []
  for (let at = 0; at < bytes.length; at++) {
    const other = Buffer.from(bytes)
    other[at] = 2
    if ((await fileOf(other)).contentSha256 !== contentSha256) counted.push(at)
  }
  const ignored = [...bytes.keys()].filter((at) => !counted.includes(at))
  expect(ignored).toEqual([24, 25, 26, 27, 40, 41, 42, 43, 92, 93, 94, 95, 96, 97, 98, 99])
})

test('rows added on the other side of a round trip differ', async () => {
  const node = makeNodeHome()
  const file = makeMemoryFile(node.path('m.db'), { rows: 5 })
  const before = await digests(node)
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(file)
  addObservations(database, 6, 1)
  database.close()
  expect((await digests(node)).contentSha256).not.toBe(before.contentSha256)
})
