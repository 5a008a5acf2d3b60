/**
 * `npm run chaos:sync`: two nodes that push and pull, cycle after cycle, with real processes. In each the primary writes rows and pushes, and the
 * other pulls; between that one thing happens: a push or a pull is killed at a random moment, a pull before a given step, rows are written where
 * they may be lost, a process has the database open, rows come in the middle of a push, or the other node is promoted.
 *
 * After each pull every table of the node has the digest of the copy that the pointer names. Rows that exist on one node alone are never gone
 * without having been asked for, and then lie in a backup that is still there at the end. CYCLES (300), SEED and STORE=s3 change what is run.
 * Ends with 1 when anything differs, and when too little happened to say anything.
 */
import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { reasonOf } from '#worker/edge/fault.ts'
import { addObservations, makeMemoryFile } from '#worker/edge/testing/memory-file.ts'
import { reportOf } from '../fixtures/report.ts'
import { type Content, contentOf, type FleetNode, openFleet } from '../fixtures/sync-fleet.ts'

const CYCLES = Number(process.env.CYCLES ?? 300)
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)
const BACKUPS_KEPT = 3
const BACKUPS = '.claude-mem/backups/pull-overwrite'
const STEPS = [
  ['sweep', 'pointer', 'digest', 'gate', 'fetch', 'compare', 'stop-worker', 'backup', 'leave-wal'],
  ['remove-companions', 'flush', 'rename', 'flush-folder', 'verify', 'remember', 'retention'],
].flat()
const EVENTS = [
  'nothing',
  'push killed',
  'pull killed',
  'pull killed before a step',
  'rows on the other node',
  'database in use',
  'rows during the push',
  'promotion',
] as const
type Event = (typeof EVENTS)[number]
const VIOLATIONS = [
  'wrong content',
  'rows lost',
  'torn by a kill',
  'pinned backup gone or changed',
  'wrong exit code',
  'file left behind',
] as const
type Violation = (typeof VIOLATIONS)[number]

/** Repeatable numbers in [0, 1): mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
const random = randomOf(SEED)
const anyOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

const report = reportOf('chaos:sync')
const fleet = await openFleet({
  PULL_BACKUP_MAX_COUNT: String(BACKUPS_KEPT),
  LOCK_TTL_SECONDS: '60',
  LEADERSHIP_LEASE_SECONDS: '3600',
})
let [primary, other] = fleet.nodes
const found = new Map<Violation, string[]>()
const happened = new Map<string, number>()
const pinned = new Map<string, string>()
let cycle = 0
let nextRow = 1
let pushMs = 500
let pullMs = 500

const count = (what: string) => happened.set(what, (happened.get(what) ?? 0) + 1)
const violated = (what: Violation, detail: string) =>
  found.set(what, [...(found.get(what) ?? []), `cycle ${cycle}: ${detail}`])
const missingIn = (content: Content, from: Content) =>
  [...from.titles].filter((title) => !content.titles.has(title))

function write({ database }: FleetNode, rows: number): void {
  if (!fs.existsSync(database)) makeMemoryFile(database, { rows: 0, tables: 28 })
  const open = new DatabaseSync(database, { timeout: 10_000 })
  open.exec('PRAGMA journal_mode = WAL')
  addObservations(open, nextRow, rows)
  nextRow += rows
  open.close()
}

/** Pushes until it is done: a push that was killed leaves its lock, which the next one passes as a person would. */
async function push(event: Event): Promise<void> {
  const stop = event === 'rows during the push' ? await primary.open('write') : null
  if (event === 'push killed') {
    const before = contentOf(primary.database)
    const { signal } = await primary.run(['push'], { killAfterMs: random() * pushMs })
    if (signal === 'SIGKILL') count('pushes killed')
    if (contentOf(primary.database).digests !== before.digests)
      violated('torn by a kill', 'push changed its own database')
  }
  const begun = performance.now()
  const { code, stderr } = await primary.run(['push'], {
    env: event === 'push killed' ? { FORCE_PUSH: '1' } : {},
  })
  pushMs = performance.now() - begun
  await stop?.()
  count('pushes')
  if (code !== 0) violated('wrong exit code', `push of ${primary.name} ended with ${code}: ${stderr.trim()}`)
}

/** A pull of the other node: refused when rows exist there alone, and then done with their loss accepted. */
async function pull(remote: Content): Promise<void> {
  const before = fs.existsSync(other.database) ? contentOf(other.database) : null
  const ahead = before ? missingIn(remote, before) : []
  const begun = performance.now()
  let ran = await other.run(['pull'])
  pullMs = performance.now() - begun
  if (before && ahead.length > 0) {
    count('pulls stopped by local rows')
    if (ran.code !== 1 || !ran.stderr.startsWith('LOCAL AHEAD: '))
      violated(
        'rows lost',
        `${ahead.length} rows stood against a pull that ended with ${ran.code}: ${ran.stderr.trim()}`,
      )
    if (contentOf(other.database).digests !== before.digests)
      violated('rows lost', 'a refused pull changed the database')
    ran = await other.run(['pull', '--accept-local-loss', '--json'])
    keepPinned(before, ran.stdout)
  }
  count('pulls')
  if (ran.code !== 0)
    violated('wrong exit code', `pull of ${other.name} ended with ${ran.code}: ${ran.stderr.trim()}`)
  if (contentOf(other.database).digests !== remote.digests)
    violated('wrong content', `of ${other.name} after its pull`)
  const left = fs.readdirSync(other.home.path('memory')).filter((name) => name.startsWith('.'))
  if (left.length > 0) violated('file left behind', left.join(', '))
}

/** The backup that has the rows whose loss was accepted: as they were, and from now on for ever. */
function keepPinned(before: Content, stdout: string): void {
  const { backup = null } = JSON.parse(stdout || '{}')
  if (backup === null) {
    violated('rows lost', 'a pull with accepted loss named no backup')
    return
  }
  const file = `${backup}/claude-mem.db`
  if (contentOf(file).digests !== before.digests)
    violated('rows lost', `${backup} does not hold what was there`)
  pinned.set(file, before.digests)
}

/** A killed pull leaves what was there, or what is remote, whole. With loss accepted, what was there is then in a backup. */
async function killPull(remote: Content, event: Event): Promise<void> {
  const before = contentOf(other.database)
  const step = anyOf(STEPS)
  const { signal } =
    event === 'pull killed'
      ? await other.run(['pull'], { killAfterMs: random() * pullMs })
      : await other.pullAndDie(step)
  if (signal !== 'SIGKILL') return
  count(event === 'pull killed' ? 'pulls killed' : `pulls killed before ${step}`)
  const { digests } = contentOf(other.database)
  if (digests !== before.digests && digests !== remote.digests)
    violated('torn by a kill', event === 'pull killed' ? 'at a random moment' : `before ${step}`)
}

/** While another process has the database open a pull is refused; the process is then killed, and its rows lie in its WAL. */
async function pullInUse(): Promise<void> {
  const mode = anyOf(['write', 'hold', 'read'] as const)
  const journal = modeOf(other.database)
  const kill = await other.open(mode)
  const { code, stdout } = await other.run(['pull', '--accept-local-loss'])
  if (code === 0)
    violated(
      'rows lost',
      `a pull replaced a database (${journal}) that was in use (${mode}): ${stdout.trim()}`,
    )
  else count(`pulls refused while in use (${mode}, ${journal})`)
  await kill()
}

function modeOf(file: string): unknown {
  const open = new DatabaseSync(file, { readOnly: true })
  const row = open.prepare('PRAGMA journal_mode').get()
  open.close()
  return row?.journal_mode
}

/** Whether the backup says of itself that it holds rows which the remote copy lacked. A refused pull whose loss was accepted keeps one, too. */
function isPinned(backup: string): boolean {
  const { local_ahead, tables_ahead = {} } = JSON.parse(fs.readFileSync(`${backup}/manifest.json`, 'utf8'))
  return local_ahead > 0 || Object.keys(tables_ahead).length > 0
}

function checkPinned(): void {
  for (const [file, digests] of pinned)
    if (!fs.existsSync(file) || contentOf(file).digests !== digests)
      violated('pinned backup gone or changed', file)
  for (const { home } of fleet.nodes) {
    const names = fs.existsSync(home.path(BACKUPS)) ? fs.readdirSync(home.path(BACKUPS)) : []
    const kept = names.filter((name) => !name.startsWith('.') && !isPinned(home.path(BACKUPS, name)))
    if (kept.length > BACKUPS_KEPT + 1)
      violated('file left behind', `${kept.length} backups that nothing pins: ${kept.join(', ')}`)
  }
}

async function promote(): Promise<void> {
  await fleet.promote(other.name)
  ;[primary, other] = [other, primary]
  count('promotions')
  write(other, 1)
  const { code } = await other.run(['push'])
  if (code !== 3) violated('wrong exit code', `the push of the old primary ended with ${code}`)
}

async function runCycle(event: Event): Promise<void> {
  count(event)
  write(primary, 1 + Math.floor(random() * 20))
  await push(event)
  const remote = await fleet.remote()
  if (remote === null) throw new Error('nothing was pushed')
  if (event !== 'rows during the push' && remote.digests !== contentOf(primary.database).digests)
    violated('wrong content', 'in the store after the push')
  if (event === 'rows on the other node') write(other, 1 + Math.floor(random() * 5))
  if (event === 'database in use') await pullInUse()
  if (event === 'pull killed' || event === 'pull killed before a step') await killPull(remote, event)
  await pull(remote)
  if (event === 'promotion') await promote()
  checkPinned()
}

report.figure('seed', SEED)
const begun = performance.now()
const seconds = () => Math.round((performance.now() - begun) / 1000)
write(primary, 3)
await fleet.promote(primary.name)
for (cycle = 1; cycle <= CYCLES; cycle++) {
  try {
    // The first cycles go through all events, so that each has happened.
    await runCycle(
      cycle === 1 ? 'nothing' : cycle <= EVENTS.length ? (EVENTS[cycle - 1] as Event) : anyOf(EVENTS),
    )
  } catch (error) {
    violated('wrong content', `it ended early: ${reasonOf(error)}`)
  }
  if (cycle % 20 === 0) report.progress(`${cycle} cycles in ${seconds()} s`)
}
await fleet.close()
report.figure('cycles', CYCLES)
report.figure('seconds', seconds())
for (const [what, times] of [...happened].sort()) report.figure(what, times)
report.figure('pinned backups', pinned.size)
for (const what of VIOLATIONS) report.check(`0 times ${what}`, !found.has(what), found.get(what)?.slice(0, 5))
const times = (what: string) => happened.get(what) ?? 0
const refusedInUse = [...happened.keys()].some((what) => what.startsWith('pulls refused while in use'))
report.check(
  'enough happened to say anything',
  EVENTS.every((event) => times(event) > 0) && pinned.size > 0 && refusedInUse,
)
process.exit(report.verdict() ? 0 : 1)
