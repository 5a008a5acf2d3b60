/** What `npm run doctor` asks of the product's own parts: object store, garden, clocks, workers. */
import sql from 'sql-template-tag'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { gardenFinding } from '#server/apply/garden-finding.ts'
import { type Env, loadEnv } from '#server/env.ts'
import type { LedgerUrls } from '#server/launch/database.mjs'
import { clockSkewMs, skewInWords } from '#server/ledger/clock-skew.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { gardenFolder } from './create-services.ts'
import { openStore } from './open-store.ts'

type Found = { state: 'ok' | 'warn' | 'FAIL'; text: string; remedy?: string }
type Examined = { home: string; env?: Env; urls?: LedgerUrls; running: boolean }
type Check = { name: string; needs: ('env' | 'urls')[]; check: (of: Examined) => Promise<Found> }

const WORKER_SILENCE_SECONDS = 45
const ok = (text: string): Found => ({ state: 'ok', text })

async function onLedger<T>(
  { urls, home }: Examined,
  work: (db: Database, env: Env) => Promise<T>,
): Promise<T> {
  const url = urls?.owner ?? ''
  const database = openDatabase(url, { name: 'garden-bloom-doctor', connections: 2 })
  try {
    return await work(database, loadEnv({ ...process.env, BLOOM_HOME: home, DATABASE_URL: url }))
  } finally {
    await database.close()
  }
}

const storeCheck = (of: Examined): Promise<Found> =>
  onLedger(of, async (_, env) => {
    const { checks } = await (await openStore(env)).probe()
    const broken = checks.filter((check) => !check.ok)
    const where = env.MINIO_ENDPOINT
      ? `bucket ${env.MINIO_BUCKET} of ${env.MINIO_ENDPOINT}`
      : 'a directory of the home'
    if (broken.length === 0) return ok(`${where}, ${checks.length} checks with conditional writes`)
    const text = `${where}: ${broken.map(({ name }) => name).join('; ')}`
    return {
      state: 'FAIL',
      text,
      remedy: 'use a store that keeps conditional writes, with rights to read and write',
    }
  })

/** Every object can be read, what the ledger applied is on the branch, and the remote follows. */
const gardenCheck = (of: Examined): Promise<Found> =>
  onLedger(of, async (db, env) => {
    const garden = await openGitRepository(gardenFolder(env))
    const finding = await gardenFinding({ db, garden, env })
    const text = finding.message ?? finding.status
    if (finding.status === 'unavailable' && !isDamage(text))
      return { state: 'FAIL', text, remedy: 'npm run repair-garden' }
    const { faults, by } = await garden.verify()
    if (faults[0] !== undefined)
      return {
        state: 'FAIL',
        text: `${faults.length} damaged objects: ${faults[0]}`,
        remedy: 'npm run restore',
      }
    if (finding.status === 'degraded') return degraded(text)
    return ok(
      `${(await garden.list()).length} files, every object whole (${WAYS[by]}), ledger and branch agree`,
    )
  })

const WAYS = { git: 'git fsck', console: 'read one by one' } as const

/** Of an earlier check: what holds now is looked at. */
const isDamage = (text: string): boolean => text.startsWith('repository_damaged')

/** The remote is another machine's matter: this one goes on without it. */
const degraded = (text: string): Found =>
  text.startsWith('remote_')
    ? { state: 'warn', text, remedy: 'see "A git remote" in README' }
    : { state: 'FAIL', text, remedy: 'npm run repair-garden' }

const clockCheck = (of: Examined): Promise<Found> =>
  onLedger(of, async (db) => {
    const skew = await clockSkewMs(db)
    const words = skewInWords(skew)
    if (!words) return ok(`${Math.abs(skew)} ms from the database's`)
    return {
      state: 'FAIL',
      text: `the clock is ${words}`,
      remedy: 'set the clock of this machine or of the database, by NTP',
    }
  })

const workersCheck = (of: Examined): Promise<Found> =>
  onLedger(of, async (db) => {
    const { rows } = await db.query<{ age: number; skew: number | null }>(sql`SELECT
        extract(epoch FROM clock_timestamp() - heartbeat_at)::float8 AS age, clock_skew_ms AS skew
      FROM worker_process WHERE stopped_at IS NULL ORDER BY heartbeat_at DESC LIMIT 50`)
    const alive = rows.filter(({ age }) => age <= WORKER_SILENCE_SECONDS)
    const [newest] = alive
    if (newest) return ok(`${alive.length} with a heartbeat, the newest ${Math.round(newest.age)} s ago`)
    if (!of.running) return ok('none, since nothing runs')
    return {
      state: 'FAIL',
      text: 'none has sent a heartbeat for 45 s',
      remedy: 'look into logs/worker.log, or npm run worker',
    }
  })

/** In the order in which they are printed. */
export const STATE_CHECKS: Check[] = [
  { name: 'object store', needs: ['env', 'urls'], check: storeCheck },
  { name: 'garden', needs: ['env', 'urls'], check: gardenCheck },
  { name: 'clock', needs: ['urls'], check: clockCheck },
  { name: 'workers', needs: ['urls'], check: workersCheck },
]
