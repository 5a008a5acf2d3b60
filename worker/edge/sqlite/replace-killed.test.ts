import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { change, titlesOf } from '../testing/memory-file.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { fetchCopy, makePull } from '../testing/pull-kit.ts'
import { type ReplaceStep, replaceDatabase } from './replace-database.ts'
import { sweepTemporaries } from './temporary-file.ts'
import { verifyDatabase } from './verify-database.ts'

const PROGRAM = path.join(import.meta.dirname, '../testing/replace-and-die.ts')

/** Which database stands after a kill before each step. */
const STANDS: Record<Exclude<ReplaceStep, 'put-back'>, 'old' | 'new'> = {
  backup: 'old',
  'leave-wal': 'old',
  'remove-companions': 'old',
  flush: 'old',
  rename: 'old',
  'flush-folder': 'new',
  verify: 'new',
}

test.each(Object.entries(STANDS))('killed before %s, the %s database stands, whole', async (step, stands) => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: { rows: 4 }, remote: { rows: 30, tables: 28 } })
  change(request.database, 'PRAGMA journal_mode = WAL')
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(request), step], { stdio: 'ignore' })
  const [, signal] = await once(child, 'exit')
  expect(signal).toBe('SIGKILL')

  expect(titlesOf(request.database)).toHaveLength(stands === 'old' ? 4 : 30)
  if (stands === 'new') await verifyDatabase(request.database, request.remote)

  await replaceDatabase(await fetchCopy(node, { rows: 31 }))
  expect(titlesOf(request.database)).toHaveLength(31)
  await sweepTemporaries(node.path('memory'))
  expect(fs.readdirSync(node.path('memory')).filter((name) => name.startsWith('.membridge-'))).toEqual([])
})
