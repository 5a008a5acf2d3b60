import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { COMPILED } from '#server/launch/testing/compiled.ts'
import { addObservations, titlesOf } from '../testing/memory-file.ts'
import { openPullRoom, type PullRoom } from '../testing/pull-room.ts'
import { tableDigests } from '../testing/table-digests.ts'

const PROGRAM = path.join(import.meta.dirname, '../testing/pull-and-die.ts')
const BACKUPS = '.claude-mem/backups/pull-overwrite'

/** Which database stands when a pull is killed before the step. */
const STANDS: Record<string, 'old' | 'new'> = {
  sweep: 'old',
  pointer: 'old',
  digest: 'old',
  gate: 'old',
  fetch: 'old',
  compare: 'old',
  'stop-worker': 'old',
  backup: 'old',
  'leave-wal': 'old',
  'remove-companions': 'old',
  flush: 'old',
  rename: 'old',
  'flush-folder': 'new',
  verify: 'new',
  remember: 'new',
  retention: 'new',
}

/** Rows that a killed process left in the WAL: the file is copied while they are not yet in the main file. */
function leaveInWal(file: string): void {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0')
  addObservations(database, 900, 2)
  for (const suffix of ['', '-wal']) fs.copyFileSync(`${file}${suffix}`, `${file}.left${suffix}`)
  database.close()
  for (const suffix of ['', '-wal']) fs.renameSync(`${file}.left${suffix}`, `${file}${suffix}`)
}

async function killBefore({ env }: PullRoom, step: string): Promise<string[]> {
  const child = spawn(process.execPath, [PROGRAM, step, '--accept-local-loss'], {
    env: { ...env, ...COMPILED },
  })
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  const [, signal] = await once(child, 'close')
  expect(signal).toBe('SIGKILL')
  return printed.trim().split('\n')
}

test.each(Object.entries(STANDS))(
  'killed before %s, the %s database stands, and the next pull ends right',
  async (step, stands) => {
    const room = await openPullRoom({ rows: 3 })
    const first = await room.push({ rows: 9, tables: 28 })
    leaveInWal(room.database)
    const before = tableDigests(room.database)
    const printed = await killBefore(room, step)
    expect(printed.at(-1)).toBe(step)

    expect(tableDigests(room.database)).toEqual(stands === 'old' ? before : tableDigests(first.file))
    const { file } = await room.push({ rows: 12, tables: 28 })
    const next = await room.pull(['--accept-local-loss'])
    expect([next.exitCode, next.stderr.replace(/^LOCAL AHEAD: .*\n/, '')]).toEqual([0, ''])
    expect(tableDigests(room.database)).toEqual(tableDigests(file))
    expect(fs.readdirSync(room.node.path('memory')).filter((name) => name.startsWith('.'))).toEqual([])
    const backups = fs.readdirSync(room.node.path(BACKUPS))
    expect(backups.filter((name) => name.startsWith('.'))).toEqual([])
    const ahead = backups.filter((name) =>
      titlesOf(room.node.path(BACKUPS, name, 'claude-mem.db')).includes('title 901'),
    )
    expect(ahead.length).toBeGreaterThan(0)
    for (const name of ahead)
      expect(tableDigests(room.node.path(BACKUPS, name, 'claude-mem.db'))).toEqual(before)
  },
)

test('the steps that are killed are all the steps there are', async () => {
  const room = await openPullRoom({ rows: 3 })
  await room.push({ rows: 9 })
  const steps: string[] = []
  await room.pullWith({ onStep: (step) => steps.push(step) })
  expect(steps).toEqual(Object.keys(STANDS))
})
