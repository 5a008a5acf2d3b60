import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { withFileLock } from '#server/adapters/file-system/file-lock.ts'
import { startChild } from '../testing/child.ts'
import { addObservations, makeMemoryFile } from '../testing/memory-file.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { createObservationCount } from './observation-count.ts'
import { isSyncRunning } from './sync-running.ts'

const GIB = 1024 ** 3
const counter = (file: string | undefined, { limit = GIB, isBusy = (): boolean => false } = {}) =>
  createObservationCount({ CLAUDE_MEM_DB: file, MEMBRIDGE_MAX_DB_BYTES: limit, isBusy })

test('counts what the WAL holds', () => {
  const node = makeNodeHome()
  const file = makeMemoryFile(node.path('m.db'), { rows: 3 })
  const count = counter(file)
  expect(count()).toBe(3)
  const writer = new DatabaseSync(file)
  onTestFinished(() => writer.close())
  addObservations(writer, 10, 2)
  expect(count()).toBe(5)
})

test('opens a database that has not changed no second time', async () => {
  const file = makeMemoryFile(makeNodeHome().path('m.db'))
  const count = counter(file)
  expect(count()).toBe(3)
  await startChild('live-writer.ts', [file, 'lock'])
  expect(count()).toBe(3)
  expect(counter(file)()).toBeNull()
})

test('is unknown where nothing can be counted', async () => {
  const node = makeNodeHome()
  const file = makeMemoryFile(node.path('m.db'))
  expect(counter(undefined)()).toBeNull()
  expect(counter(node.path('none.db'))()).toBeNull()
  expect(counter(node.write('text.db', 'no database'))()).toBeNull()
  expect(counter(node.path())()).toBeNull()
  expect(counter(file, { limit: 1 })()).toBeNull()
  expect(counter(file, { isBusy: () => true })()).toBeNull()
  const locked = await startChild('live-writer.ts', [file, 'lock'])
  expect(counter(file)()).toBeNull()
  await locked.kill()
  expect(counter(file)()).toBe(3)
})

test('a database without the table holds none', () => {
  const node = makeNodeHome()
  const database = new DatabaseSync(node.path('m.db'))
  database.exec('CREATE TABLE other (id INTEGER)')
  database.close()
  expect(counter(node.path('m.db'))()).toBe(0)
})

test('a sync runs while its lock is suppressed, and not when it was killed', async () => {
  const { host, path, write } = makeNodeHome()
  const staging = path('.membridge/locks/staging')
  expect(isSyncRunning(host)).toBe(false)
  fs.mkdirSync(staging, { recursive: true })
  const lock = { path: path('.membridge/locks/a.lock'), staging }
  await withFileLock(lock, async () => expect(isSyncRunning(host)).toBe(true))
  expect(isSyncRunning(host)).toBe(false)
  write('.membridge/locks/b.lock', 'torn')
  expect(isSyncRunning(host)).toBe(false)
})
