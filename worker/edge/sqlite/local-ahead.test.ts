import { expect, test } from 'vitest'
import { change, type MemoryFile, makeMemoryFile } from '../testing/memory-file.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { countLocalAhead } from './local-ahead.ts'

type Case = { ours: MemoryFile; theirs: MemoryFile; change?: string; changeTheirs?: string; ahead: number }

/** Inserts the first row once more. */
const TWICE = `CREATE TEMP TABLE first AS SELECT * FROM observations WHERE id = 1; UPDATE first SET id = NULL;
  INSERT INTO observations SELECT * FROM first`

const CASES: Record<string, Case> = {
  'the same rows': { ours: { rows: 9 }, theirs: { rows: 9 }, ahead: 0 },
  'more rows there': { ours: { rows: 5 }, theirs: { rows: 9 }, ahead: 0 },
  'more rows here': { ours: { rows: 9 }, theirs: { rows: 5 }, ahead: 4 },
  'fewer rows here, and some of them only here': {
    ours: { rows: 3, from: 8 },
    theirs: { rows: 9 },
    ahead: 1,
  },
  'as many rows, all different': { ours: { rows: 4, from: 100 }, theirs: { rows: 4 }, ahead: 4 },
  'no hashes on either side': {
    ours: { rows: 6, hashed: false },
    theirs: { rows: 4, hashed: false },
    ahead: 2,
  },
  'hashes here alone': { ours: { rows: 6 }, theirs: { rows: 4, hashed: false }, ahead: 2 },
  'hashes there alone': { ours: { rows: 6, hashed: false }, theirs: { rows: 4 }, ahead: 2 },
  'the hash of some rows is missing there': {
    ours: { rows: 6 },
    theirs: { rows: 6 },
    changeTheirs: 'UPDATE observations SET content_hash = NULL WHERE id < 4',
    ahead: 0,
  },
  'the hash of some rows is missing here': {
    ours: { rows: 6 },
    theirs: { rows: 5 },
    change: 'UPDATE observations SET content_hash = NULL WHERE id > 3',
    ahead: 1,
  },
  'the same hash under another title': {
    ours: { rows: 2 },
    theirs: { rows: 2 },
    change: "UPDATE observations SET title = 'renamed'",
    ahead: 0,
  },
  'another hash in the same place: a doubt counts': {
    ours: { rows: 2 },
    theirs: { rows: 2 },
    change: "UPDATE observations SET content_hash = 'other' WHERE id = 1",
    ahead: 1,
  },
  'rows without title or session': {
    ours: { rows: 3, hashed: false },
    theirs: { rows: 3, hashed: false },
    change: 'UPDATE observations SET title = NULL, memory_session_id = NULL',
    changeTheirs: 'UPDATE observations SET title = NULL, memory_session_id = NULL WHERE id < 3',
    ahead: 1,
  },
  'the text NULL is no missing title': {
    ours: { rows: 1, hashed: false },
    theirs: { rows: 1, hashed: false },
    change: 'UPDATE observations SET title = NULL',
    changeTheirs: "UPDATE observations SET title = 'NULL'",
    ahead: 1,
  },
  'two equal rows here, one there': {
    ours: { rows: 3, hashed: false },
    theirs: { rows: 3, hashed: false },
    change: TWICE,
    ahead: 1,
  },
  'two rows of one hash here, one there': { ours: { rows: 3 }, theirs: { rows: 3 }, change: TWICE, ahead: 1 },
  'two equal rows on both sides': {
    ours: { rows: 3 },
    theirs: { rows: 3 },
    change: TWICE,
    changeTheirs: TWICE,
    ahead: 0,
  },
  'one of two equal rows has no hash here, and one stands there': {
    ours: { rows: 1 },
    theirs: { rows: 1 },
    change: `${TWICE}; UPDATE observations SET content_hash = NULL WHERE id = 2`,
    ahead: 1,
  },
  'another narrative in the same place, without hashes': {
    ours: { rows: 2, hashed: false },
    theirs: { rows: 2, hashed: false },
    change: "UPDATE observations SET narrative = 'other' WHERE id = 1",
    ahead: 1,
  },
  'long narratives that differ at their end': {
    ours: { rows: 4, hashed: false },
    theirs: { rows: 4, hashed: false },
    change: 'UPDATE observations SET narrative = hex(zeroblob(100000)) || id WHERE id < 4',
    changeTheirs:
      "UPDATE observations SET narrative = hex(zeroblob(100000)) || iif(id = 2, 'x', id) WHERE id < 4",
    ahead: 1,
  },
  'no table there': {
    ours: { rows: 3 },
    theirs: { rows: 3 },
    changeTheirs: 'DROP TABLE observations',
    ahead: 3,
  },
  'no table here': { ours: { rows: 3 }, theirs: { rows: 3 }, change: 'DROP TABLE observations', ahead: 0 },
}

test.each(Object.entries(CASES))('%s', (_name, { ours, theirs, change: here, changeTheirs, ahead }) => {
  const node = makeNodeHome()
  const local = makeMemoryFile(node.path('local.db'), ours)
  const remote = makeMemoryFile(node.path('remote.db'), theirs)
  if (here) change(local, here)
  if (changeTheirs) change(remote, changeTheirs)
  expect(countLocalAhead(local, remote)).toBe(ahead)
})

test('compares tens of thousands of rows by an index, not each with each', () => {
  const node = makeNodeHome()
  const local = makeMemoryFile(node.path('local.db'), { rows: 30_000, fullText: false, hashed: false })
  const remote = makeMemoryFile(node.path('remote.db'), { rows: 29_990, fullText: false, hashed: false })
  expect(countLocalAhead(local, remote)).toBe(10)
})

test('tens of thousands of rows whose hashes are all unknown there are counted at once, too', () => {
  const node = makeNodeHome()
  const local = makeMemoryFile(node.path('local.db'), { rows: 20_000, fullText: false })
  const remote = makeMemoryFile(node.path('remote.db'), { rows: 20_000, from: 30_000, fullText: false })
  expect(countLocalAhead(local, remote)).toBe(20_000)
})

test('a version without the columns that are compared is refused', () => {
  const node = makeNodeHome()
  const local = makeMemoryFile(node.path('local.db'), { hashed: false, fullText: false })
  const remote = makeMemoryFile(node.path('remote.db'), { hashed: false, fullText: false })
  change(remote, 'ALTER TABLE observations DROP COLUMN title')
  expect(() => countLocalAhead(local, remote)).toThrow('observations has no column title')
})
