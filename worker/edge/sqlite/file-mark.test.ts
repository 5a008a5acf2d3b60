import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { addObservations, makeMemoryFile, titlesOf } from '../testing/memory-file.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { fileMark } from './file-mark.ts'

const later = () => Date.now() + 10_000

test('a file keeps its mark while it is read, and every write changes it', async () => {
  const file = makeMemoryFile(makeNodeHome().path('m.db'))
  const mark = await fileMark(file, later())
  titlesOf(file)
  expect(mark).not.toBeNull()
  expect(await fileMark(file, later())).toBe(mark)
  const worker = new DatabaseSync(file)
  addObservations(worker, 100, 1)
  const inWal = await fileMark(file, later())
  addObservations(worker, 101, 1)
  const further = await fileMark(file, later())
  worker.close()
  const inFile = await fileMark(file, later())
  expect(new Set([mark, inWal, further, inFile]).size).toBe(4)
})

test('one that was just written, or is not there, has none', async () => {
  const node = makeNodeHome()
  expect(await fileMark(makeMemoryFile(node.path('m.db')))).toBeNull()
  expect(await fileMark(node.path('none.db'), later())).toBeNull()
})
