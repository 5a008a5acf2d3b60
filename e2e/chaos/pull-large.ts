/**
 * `npm run chaos:pull-large`: one large database pushed by one node and pulled by another, which has an older one, with the packed
 * command line: seconds of each process beside `cp`, the most memory it held, and whether every table came over. MIB (1024) and
 * STORE=s3 change what is run. Ends with 1 when content differs or a process held more than 200 MiB.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { openNodeHome } from '#worker/edge/testing/home-folder.ts'
import { makeMemoryFile } from '#worker/edge/testing/memory-file.ts'
import { unpackEdge } from '../fixtures/packed-edge.ts'
import { reportOf } from '../fixtures/report.ts'
import { contentOf, type FleetNode, openFleet } from '../fixtures/sync-fleet.ts'

const MIB = Number(process.env.MIB ?? 1024)
const AIM_MIB = 200
const report = reportOf('chaos:pull-large')
const packed = openNodeHome()
const fleet = await openFleet({}, await unpackEdge(packed.path()))
const [primary, other] = fleet.nodes

async function timed<T>(work: () => Promise<T> | T): Promise<[value: T, seconds: string]> {
  const begun = performance.now()
  const value = await work()
  return [value, ((performance.now() - begun) / 1000).toFixed(1)]
}

/** Observations of about 1 MiB each, which no compression makes smaller. */
function fillUp(file: string): void {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL')
  const insert = database.prepare(
    "INSERT INTO observations (memory_session_id, title, narrative, created_at_epoch) VALUES ('s', ?, hex(randomblob(524288)), ?)",
  )
  for (let n = 0; n < MIB; n++) insert.run(`large ${n}`, n)
  database.close()
}

async function command(node: FleetNode, name: 'push' | 'pull', more = ''): Promise<void> {
  const [{ code, stderr, peakMiB }, seconds] = await timed(() => node.run([name]))
  report.check(`${name}${more} succeeds`, code === 0, stderr)
  report.figure(`${name}${more}`, `${seconds} s`)
  report.check(`${name}${more} held ${peakMiB} MiB, at most ${AIM_MIB}`, peakMiB <= AIM_MIB)
}

makeMemoryFile(other.database, { rows: 3 })
makeMemoryFile(primary.database, { rows: 3, fullText: false })
fillUp(primary.database)
await fleet.promote(primary.name)
const bytes = fs.statSync(primary.database).size
report.figure('database', `${Math.round(bytes / 1024 / 1024)} MiB`)
const copy = primary.home.path('copy.db')
report.figure('cp', `${(await timed(() => execFileSync('cp', [primary.database, copy])))[1]} s`)
fs.rmSync(copy)
await command(primary, 'push')
await command(other, 'pull')
report.check(
  'every table came over',
  contentOf(primary.database).digests === contentOf(other.database).digests,
)
await command(other, 'pull', ' again, unchanged')
await fleet.close()
fs.rmSync(packed.path(), { recursive: true, force: true })
process.exit(report.verdict() ? 0 : 1)
