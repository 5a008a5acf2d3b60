import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { startChild } from '../testing/child.ts'
import { change, makeMemoryFile, titlesOf } from '../testing/memory-file.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { digestFile } from './file-digest.ts'
import { takeSnapshot } from './snapshot.ts'

const LIMIT = { maxBytes: 2 ** 31 }

test('is a file of its own that nobody else can read, with integrity, counts and digests', async () => {
  const node = makeNodeHome()
  const file = makeMemoryFile(node.path('m.db'), { rows: 40, tables: 28 })
  const snapshot = await takeSnapshot(file, LIMIT)
  expect(snapshot.counts).toEqual({ observations: 40, session_summaries: 1, user_prompts: 2, tables: 28 })
  expect(fs.statSync(snapshot.path).mode & 0o777).toBe(0o600)
  expect(snapshot).toMatchObject(await digestFile(snapshot.path))
  expect(snapshot.bytes).toBe(fs.statSync(snapshot.path).size)
  expect(titlesOf(snapshot.path)).toHaveLength(40)
})

test('counts a database of an older version, without full-text tables or session tables', async () => {
  const node = makeNodeHome()
  const file = makeMemoryFile(node.path('m.db'), { fullText: false, hashed: false })
  change(file, 'DROP TABLE session_summaries')
  const { counts } = await takeSnapshot(file, LIMIT)
  expect(counts).toMatchObject({ observations: 3, session_summaries: 0, user_prompts: 2 })
})

test('reads what lies in the -wal of a main file of 4 096 bytes', async () => {
  const node = makeNodeHome()
  const file = node.path('m.db')
  const writer = new DatabaseSync(file)
  writer.exec(
    'PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE observations (title TEXT)',
  )
  writer.exec("INSERT INTO observations VALUES ('only in the WAL')")
  expect(fs.statSync(file).size).toBe(4096)
  const snapshot = await takeSnapshot(file, LIMIT)
  writer.close()
  expect(snapshot.counts.observations).toBe(1)
})

test('is one consistent state while another process writes and others read', async () => {
  const node = makeNodeHome()
  const file = makeMemoryFile(node.path('m.db'), { rows: 2000 })
  await startChild('live-writer.ts', [file, 'write'])
  await startChild('live-writer.ts', [file, 'read'])
  for (let round = 0; round < 3; round++) {
    const snapshot = await takeSnapshot(file, LIMIT)
    expect(snapshot.counts.observations).toBe(titlesOf(snapshot.path).length)
    expect(snapshot.counts.observations).toBeGreaterThanOrEqual(2000)
    fs.rmSync(snapshot.path)
  }
})

const left = (folder: string) => fs.readdirSync(folder).filter((name) => name.startsWith('.membridge-'))

test.each<[string, (file: string) => void, RegExp]>([
  ['absent', (file) => fs.rmSync(file), /does not exist: check CLAUDE_MEM_DB, or pull first$/],
  [
    'no SQLite',
    (file) => fs.writeFileSync(file, 'x'.repeat(9000)),
    /is not an SQLite database: check CLAUDE_MEM_DB$/,
  ],
  ['corrupt', (file) => scribble(file), /is corrupt/],
  ['truncated', (file) => fs.truncateSync(file, 20_000), /is corrupt/],
  ['a folder', (file) => [fs.rmSync(file), fs.mkdirSync(file)], /is not a file: check CLAUDE_MEM_DB$/],
])('a database that is %s is refused in one line and leaves nothing behind', async (_what, spoil, line) => {
  const node = makeNodeHome()
  const file = makeMemoryFile(node.path('m.db'), { rows: 500, wal: false })
  spoil(file)
  await expect(takeSnapshot(file, LIMIT)).rejects.toThrow(line)
  expect(left(node.path())).toEqual([])
})

function scribble(file: string): void {
  const handle = fs.openSync(file, 'r+')
  for (let page = 3; page < 20; page++) fs.writeSync(handle, Buffer.alloc(2000, 0xa5), 0, 2000, page * 4096)
  fs.closeSync(handle)
}

test('a database that another process has locked is refused', async () => {
  const node = makeNodeHome()
  const file = makeMemoryFile(node.path('m.db'), { wal: false })
  await startChild('live-writer.ts', [file, 'lock'])
  await expect(takeSnapshot(file, LIMIT)).rejects.toThrow(/is locked by another process: close what uses it/)
  expect(left(node.path())).toEqual([])
})

test('a database above the limit is refused before anything is written', async () => {
  const node = makeNodeHome()
  const file = makeMemoryFile(node.path('m.db'), { rows: 200 })
  await expect(takeSnapshot(file, { maxBytes: 20_000 })).rejects.toThrow(
    /more than MEMBRIDGE_MAX_DB_BYTES \(20000\): raise that limit/,
  )
  expect(left(node.path())).toEqual([])
})
