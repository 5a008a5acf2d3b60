/**
 * `npm run chaos:pull-file`: the file side of a pull, killed at random moments. Each round replaces a database of some rows, some of
 * which lie in its WAL alone, by a fetched copy, and kills that process up to 5 ms after it began a random step. Then the old or the new database
 * stands, with exactly its rows and sound; a backup that has its name is whole; and the next pull succeeds.
 *
 * ROUNDS (60) changes the number. Ends with 1 when anything differs, and when too few kills met either side of the rename to
 * say anything.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { reasonOf } from '#worker/edge/fault.ts'
import {
  type ReplaceRequest,
  type ReplaceStep,
  replaceDatabase,
} from '#worker/edge/sqlite/replace-database.ts'
import { sweepTemporaries } from '#worker/edge/sqlite/temporary-file.ts'
import { examineCopy } from '#worker/edge/sqlite/verify-database.ts'
import { openNodeHome } from '#worker/edge/testing/home-folder.ts'
import { addObservations, titlesOf } from '#worker/edge/testing/memory-file.ts'
import { fetchCopy, makePull } from '#worker/edge/testing/pull-kit.ts'
import { reportOf } from '../fixtures/report.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 60)
const PROGRAM = fileURLToPath(import.meta.resolve('#worker/edge/testing/replace-and-die.ts'))
const STEPS: ReplaceStep[] = [
  'backup',
  'leave-wal',
  'remove-companions',
  'flush',
  'rename',
  'flush-folder',
  'verify',
]
const ROWS = { old: 400, wal: 50, new: 900 }

type Seen = Record<'old' | 'new' | 'whole run', number>

/** Rows that a process left in the WAL when it was killed: the file is copied while they are not yet in the main file. */
function leaveInWal(file: string): void {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0')
  addObservations(database, ROWS.old + 1, ROWS.wal)
  for (const suffix of ['', '-wal']) fs.copyFileSync(`${file}${suffix}`, `${file}.left${suffix}`)
  database.close()
  for (const suffix of ['', '-wal']) fs.renameSync(`${file}.left${suffix}`, `${file}${suffix}`)
}

/** Runs the replacement in a process that is killed so long after it began the step; gives whether the kill met it. */
async function runAndKill(request: ReplaceRequest, step: ReplaceStep, afterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(request), 'none'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'close')
  let text = ''
  child.stdout.on('data', (chunk) => {
    const begun = text.includes(step)
    text += chunk
    if (!begun && text.includes(step)) setTimeout(() => child.kill('SIGKILL'), afterMs)
  })
  const [, signal] = await ended
  return signal === 'SIGKILL'
}

async function round(step: ReplaceStep, afterMs: number): Promise<keyof Seen> {
  const node = openNodeHome()
  try {
    const request = await makePull(node, { local: { rows: ROWS.old }, remote: { rows: ROWS.new } })
    leaveInWal(request.database)
    const killed = await runAndKill(request, step, afterMs)
    const rows = titlesOf(request.database).length
    const { counts } = await examineCopy(request.database)
    if (counts.observations !== rows || ![ROWS.old + ROWS.wal, ROWS.new].includes(rows))
      throw new Error(`${rows} rows stand after a kill ${afterMs.toFixed(1)} ms into ${step}`)
    const backups = backupsIn(node.path('backups'))
    for (const name of backups) {
      const kept = titlesOf(node.path('backups', name, 'claude-mem.db')).length
      if (kept !== ROWS.old + ROWS.wal) throw new Error(`the backup ${name} has ${kept} rows`)
    }
    if (rows === ROWS.new && backups.length === 0) throw new Error('replaced without a backup')
    await sweepTemporaries(node.path('memory'))
    await replaceDatabase(await fetchCopy(node, { rows: ROWS.new + 1 }))
    if (!killed) return 'whole run'
    return rows === ROWS.new ? 'new' : 'old'
  } finally {
    fs.rmSync(node.path(), { recursive: true, force: true })
  }
}

const backupsIn = (root: string): string[] =>
  fs.existsSync(root) ? fs.readdirSync(root).filter((name) => /^\d/.test(name)) : []

const report = reportOf('chaos:pull-file')
const seen: Seen = { old: 0, new: 0, 'whole run': 0 }
const failures: string[] = []
for (let n = 0; n < ROUNDS; n++) {
  const step = STEPS[Math.floor(Math.random() * STEPS.length)] ?? 'backup'
  try {
    seen[await round(step, Math.random() * 5)]++
  } catch (error) {
    failures.push(`round ${n}: ${reasonOf(error)}`)
  }
}
report.figure('rounds', ROUNDS)
report.check(
  'old or new database, whole backups, and the next pull succeeds',
  failures.length === 0,
  failures,
)
report.figure('old, new, not killed', `${seen.old}, ${seen.new}, ${seen['whole run']}`)
report.check('enough kills on both sides to say anything', Math.min(seen.old, seen.new) >= ROUNDS / 20, seen)
report.verdict()
