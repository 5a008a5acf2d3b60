/**
 * `npm run chaos:disk`: PostgreSQL, garden, objects and logs on one small disk that becomes full again and again while proposals are
 * applied, as a launcher runs them: the database is brought back, a killed applier is replaced. Each round fills the disk at some
 * moment, keeps it full for some time, and frees it. In the end every approved proposal is APPLIED with exactly one commit that can
 * be read, or FAILED without one; nothing is stuck, and a program that writes its log to the full disk still lives.
 *
 * The disk is a tmpfs, so it wants root on Linux. ROUNDS (3), PROPOSALS (20 a round) and DISK_MIB (160) change the numbers. Ends
 * with 1 when anything differs.
 */
import { execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import sql from 'sql-template-tag'
import { proposalOfCommit } from '#domain/proposal/commit-message.rules.ts'
import { checkConsistency } from '#server/apply/check-consistency.ts'
import { prepareDatabase } from '#server/launch/database.mjs'
import { generateClient } from '#server/launch/generate.mjs'
import { openLog } from '#server/launch/log-file.mjs'
import { keepPostgres } from '#server/launch/postgres-supervisor.mjs'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import {
  approve,
  editOf,
  type Kit,
  makeGarden,
  noteOf,
  openKit,
  propose,
} from '#server/proposals/testing/garden-kit.ts'
import { spaceFinding } from '#server/system/disk-space.ts'
import { reportOf } from '../fixtures/report.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 3)
const PROPOSALS = Number(process.env.PROPOSALS ?? 20)
const DISK_MIB = Number(process.env.DISK_MIB ?? 160)
const APPLIER = fileURLToPath(import.meta.resolve('#server/apply/testing/applier.ts'))

const between = (low: number, high: number) => low + Math.random() * (high - low)

/** Takes all the space there is, in a file of its own, and gives it back. */
function fill(disk: string): () => void {
  const file = path.join(disk, 'ballast')
  const handle = fs.openSync(file, 'w')
  for (const size of [1024 * 1024, 4096, 1]) {
    const bytes = Buffer.alloc(size)
    try {
      for (;;) if (fs.writeSync(handle, bytes) < size) break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
  fs.closeSync(handle)
  return () => fs.rmSync(file)
}

/** An applier on this disk, replaced when it ends with anything but success, until nothing is left to apply. */
async function applyAll(folder: string, url: string, log: string): Promise<number> {
  for (let ends = 0; ; ends++) {
    const output = fs.openSync(log, 'a')
    const child = fork(APPLIER, [folder, url, 'chance:30:3'], {
      execArgv: [],
      stdio: ['ignore', output, output, 'ipc'],
    })
    fs.closeSync(output)
    const [code] = await once(child, 'exit')
    if (code === 0) return ends
    await pause(200)
  }
}

/** A program whose log lies on the disk. */
function talker(log: string) {
  const script = `const { createLog } = await import(${JSON.stringify(import.meta.resolve('#server/composition/log.ts'))})
    const log = createLog({ LOG_LEVEL: 'info' }, 'talker'); setInterval(() => log.info('still here'), 5)`
  const output = fs.openSync(log, 'a')
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', output, output],
  })
  fs.closeSync(output)
  return child
}

async function approveSome(kit: Kit, round: number): Promise<void> {
  for (let n = 0; n < PROPOSALS; n++) {
    const input =
      n % 2 === 0
        ? noteOf(`Round ${round}/${n}.md`, `# ${n}\n${'text '.repeat(2_000)}\n`)
        : editOf('notes/Beds/North.md', {
            diff: { type: 'append', position: 'end', text: `line ${round} ${n}` },
            summary: `line ${n}`,
          })
    await approve(kit, await propose(kit, input))
  }
}

async function judge(kit: Kit) {
  const { rows } = await kit.db.query<{ proposal_id: string; status: string }>(
    sql`SELECT proposal_id, status FROM proposal`,
  )
  const commits = (await kit.garden.log()).map((commit) => proposalOfCommit(commit.message)).filter(Boolean)
  const of = (status: string) => rows.filter((row) => row.status === status)
  const fsck = execFileSync('git', ['--git-dir', kit.gitdir, 'fsck', '--strict', '--full', '--no-dangling'], {
    encoding: 'utf8',
  }).trim()
  return {
    applied: of('APPLIED').length,
    failed: of('FAILED').length,
    stuck: rows.length - of('APPLIED').length - of('FAILED').length,
    appliedWithoutCommit: of('APPLIED').filter((row) => !commits.includes(row.proposal_id)).length,
    failedWithCommit: of('FAILED').filter((row) => commits.includes(row.proposal_id)).length,
    double: commits.length - new Set(commits).size,
    inconsistencies: (await checkConsistency(kit.services)).length,
    fsck: fsck || 'clean',
  }
}

const report = reportOf('chaos:disk')
await generateClient()
const disk = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-chaos-disk-'))
execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=755`, 'tmpfs', disk])
const logs = path.join(disk, 'logs')
fs.mkdirSync(logs)
const postgres = keepPostgres(
  { directory: path.join(disk, 'postgres'), password: 'chaos', logFile: path.join(logs, 'postgres.log') },
  { onStarted: () => {}, onMoved: (from, to) => report.progress(`PostgreSQL moved from ${from} to ${to}`) },
)
const server = await postgres.first
const url = server.urlOf('bloom')
await prepareDatabase(url)
const made = await makeGarden()
const folder = path.join(disk, 'home')
fs.cpSync(made, folder, { recursive: true })
fs.rmSync(made, { recursive: true })
const kit = await openKit(folder, { webUrl: url, workerUrl: url })
const talking = talker(path.join(logs, 'talker.log'))
const launcherLog = openLog(path.join(logs, 'launcher.log'))
let [ends, saidFull] = [0, 0]

for (let n = 0; n < ROUNDS; n++) {
  await approveSome(kit, n)
  const work = applyAll(folder, url, path.join(logs, 'applier.log'))
  await pause(between(200, 4_000))
  const free = fill(disk)
  for (let line = 0; line < 1_000; line++) launcherLog.write(`a line of the launcher ${line}`)
  if ((await spaceFinding(disk))?.message?.startsWith('disk_full')) saidFull++
  await pause(between(500, 8_000))
  free()
  ends += await work
  const verdict = await waitUntil(() => judge(kit), { what: 'the ledger to answer', timeoutMs: 180_000 })
  const alive = talking.exitCode === null && talking.signalCode === null
  const { appliedWithoutCommit, failedWithCommit, double, inconsistencies, stuck, fsck } = verdict
  const wrong = appliedWithoutCommit + failedWithCommit + double + inconsistencies + stuck
  const whole = wrong === 0 && fsck === 'clean' && alive
  report.check(`round ${n + 1}: nothing lost, all of it alive`, whole, { ...verdict, talkerAlive: alive })
}
report.figure('appliers replaced', ends)
report.check('health named the full disk in every round', saidFull === ROUNDS, `${saidFull} of ${ROUNDS}`)
talking.kill()
launcherLog.close()
await kit.close()
await postgres.stop()
execFileSync('umount', [disk])
fs.rmdirSync(disk)
process.exit(report.verdict() ? 0 : 1)
