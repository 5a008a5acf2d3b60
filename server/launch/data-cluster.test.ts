import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ensureCluster } from './data-cluster.mjs'

let home: string
let place: string
beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-cluster-'))
  place = path.join(home, 'postgres')
})
afterEach(() => fs.rmSync(home, { recursive: true, force: true }))

const WHOLE = ['PG_VERSION', 'global/pg_control', 'base/1/PG_VERSION', 'base/5/PG_VERSION']

function plant(folder: string, files: readonly string[]): void {
  for (const file of files) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    fs.writeFileSync(path.join(folder, file), 'kept')
  }
}

let makes = 0
const make = (directory: string) => {
  makes++
  plant(directory, [...WHOLE, 'made'])
}
const isMade = () => fs.existsSync(path.join(place, 'made'))

test('makes what is not there, and leaves nothing beside it', async () => {
  await ensureCluster(place, make)
  expect(isMade()).toBe(true)
  expect(fs.readdirSync(home)).toEqual(['postgres'])
})

test('is not at its place before it is whole', async () => {
  await ensureCluster(place, (directory) => {
    make(directory)
    expect(fs.existsSync(place)).toBe(false)
  })
})

test('leaves nothing when it could not be made, and makes it the next time', async () => {
  const failing = (directory: string) => {
    plant(directory, ['PG_VERSION'])
    throw new Error('killed')
  }
  await expect(ensureCluster(place, failing)).rejects.toThrow('killed')
  expect(fs.readdirSync(home)).toEqual([])
  await ensureCluster(place, make)
  expect(isMade()).toBe(true)
})

test('removes what a killed start left beside the place', async () => {
  plant(`${place}.new-1`, ['data/PG_VERSION', '.password'])
  await ensureCluster(place, make)
  expect(fs.readdirSync(home)).toEqual(['postgres'])
})

test('keeps a whole one as it is', async () => {
  plant(place, WHOLE)
  const before = makes
  await ensureCluster(place, make)
  expect(makes).toBe(before)
})

test.each(WHOLE.filter((part) => !part.startsWith('base/1/')))(
  'makes one without %s again',
  async (missing) => {
    plant(
      place,
      WHOLE.filter((part) => part !== missing),
    )
    await ensureCluster(place, make)
    expect(isMade()).toBe(true)
  },
)

test('never removes the database of somebody, whatever is missing', async () => {
  plant(place, ['PG_VERSION', 'base/16384/PG_VERSION'])
  const before = makes
  await ensureCluster(place, make)
  expect(makes).toBe(before)
  expect(fs.existsSync(path.join(place, 'base/16384/PG_VERSION'))).toBe(true)
})
