/**
 * `npm run chaos:apply`: 200 approved proposals, three appliers, and a kill -9 again and again, most often between the commit and the
 * ledger. In the end: as many commits as proposals, none lost, none double, and a repository that `git fsck --strict` finds clean.
 *
 * PROPOSALS, APPLIERS and SEED_NOTES change the numbers. Ends with 1 when anything differs.
 */
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import sql from 'sql-template-tag'
import { proposalOfCommit } from '#domain/proposal/commit-message.rules.ts'
import { checkConsistency } from '#server/apply/check-consistency.ts'
import { generateClient } from '#server/launch/generate.mjs'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { startTestPostgres } from '#server/launch/testing/test-postgres.ts'
import {
  approve,
  editOf,
  type Kit,
  makeGarden,
  NOTES,
  noteOf,
  openKit,
  propose,
} from '#server/proposals/testing/garden-kit.ts'
import { reportOf } from '../fixtures/report.ts'

const PROPOSALS = Number(process.env.PROPOSALS ?? 200)
const APPLIERS = Number(process.env.APPLIERS ?? 3)
const CHANCES = 'chance:150:15'
const APPLIER = fileURLToPath(import.meta.resolve('#server/apply/testing/applier.ts'))
const append = (text: string) => ({ diff: { type: 'append', position: 'end', text }, summary: text })

/** A third new notes, the rest appends: half of those on notes of their own, half on one note that all of them queue for. */
function inputOf(n: number) {
  if (n % 3 === 0) return noteOf(`New/${n}.md`, `# ${n}\n`)
  return n % 3 === 1
    ? editOf(`notes/Own/${n}.md`, append(`line ${n}`))
    : editOf('notes/Beds/North.md', append(`line ${n}`))
}

async function fill(kit: Kit): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < PROPOSALS; n++) {
    const row = await approve(kit, await propose(kit, inputOf(n)))
    ids.push(row.proposal_id)
  }
  return ids
}

/** Keeps one applier alive until it finds nothing left; returns how often it was killed. */
async function keepAlive(folder: string, url: string): Promise<number> {
  for (let kills = 0; ; kills++) {
    const child = fork(APPLIER, [folder, url, CHANCES], { execArgv: [], stdio: 'inherit' })
    const [code, signal] = await once(child, 'exit')
    if (signal !== 'SIGKILL') {
      if (code !== 0) throw new Error(`an applier ended with ${code ?? signal}`)
      return kills
    }
  }
}

async function judge(kit: Kit, ids: string[]) {
  const { rows } = await kit.db.query<{ status: string; n: number; attempts: number }>(
    sql`SELECT status, count(*) AS n, sum(attempt) AS attempts FROM proposal GROUP BY status`,
  )
  const commits = (await kit.garden.log()).map((commit) => proposalOfCommit(commit.message)).filter(Boolean)
  const { rows: paths } = await kit.db.query<{ n: number }>(
    sql`SELECT count(*) AS n FROM event WHERE resource_type = 'proposal' AND transition = 'applied'`,
  )
  const fsck = execFileSync('git', ['--git-dir', kit.gitdir, 'fsck', '--strict', '--full', '--no-dangling'], {
    encoding: 'utf8',
  }).trim()
  const lines =
    (await kit.garden.read('Beds/North.md'))?.text.split('\n').filter((l) => l.startsWith('line ')) ?? []
  return {
    states: Object.fromEntries(rows.map((row) => [row.status, row.n])),
    attempts: rows.reduce((sum, row) => sum + Number(row.attempts), 0),
    commits: commits.length,
    lost: ids.filter((id) => !commits.includes(id)).length,
    double: commits.length - new Set(commits).size,
    appliedEvents: paths[0]?.n,
    doubleLines: lines.length - new Set(lines).size,
    inconsistencies: (await checkConsistency(kit.services)).length,
    fsck: fsck || 'clean',
  }
}

await generateClient()
const server = await startTestPostgres()
const database = await createTestDatabase()
const own = Object.fromEntries(
  Array.from({ length: PROPOSALS }, (_, n) => [`Own/${n}.md`, `# Own ${n}\n`]).filter((_, n) => n % 3 === 1),
)
const folder = await makeGarden({ ...NOTES, ...own })
const kit = await openKit(folder, database)
const ids = await fill(kit)
const began = performance.now()
const kills = await Promise.all(Array.from({ length: APPLIERS }, () => keepAlive(folder, database.workerUrl)))
const seconds = (performance.now() - began) / 1_000
const verdict = await judge(kit, ids)
const killed = kills.reduce((sum, n) => sum + n, 0)
const report = reportOf('chaos:apply')
report.figure(
  'run',
  `${PROPOSALS} proposals, ${APPLIERS} appliers, ${killed} kills in ${seconds.toFixed(1)} s`,
)
const { commits, states, appliedEvents, lost, double, doubleLines, inconsistencies, fsck } = verdict
const allApplied = commits === PROPOSALS && states.APPLIED === PROPOSALS && appliedEvents === PROPOSALS
report.check('every proposal is applied by one commit and one event', allApplied, verdict)
report.check(
  'nothing is lost, doubled or inconsistent',
  lost + double + doubleLines + inconsistencies === 0,
  verdict,
)
report.check('the repository is clean', fsck === 'clean', fsck)
report.check('appliers were killed, or the run says nothing', killed > 0)
const good = report.verdict()
await kit.close()
await rm(folder, { recursive: true })
await database.drop()
await server.stop()
process.exit(good ? 0 : 1)
