/** What `npm run doctor` asks of the product's own parts: object store, garden, clocks, workers. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import sql from 'sql-template-tag'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { gardenFinding } from '#server/apply/garden-finding.ts'
import { type Env, loadEnv } from '#server/env.ts'
import type { LedgerUrls } from '#server/launch/database.mjs'
import { clockSkewMs, skewInWords } from '#server/ledger/clock-skew.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { gardenFolder, openStore } from './create-services.ts'

type Found = { state: 'ok' | 'warn' | 'FAIL'; text: string; remedy?: string }
type Examined = { home: string; env?: Env; urls?: LedgerUrls; running: boolean }
type Check = { name: string; needs: ('env' | 'urls')[]; check: (of: Examined) => Promise<Found> }

const WORKER_SILENCE_SECONDS = 45
const ok = (text: string): Found => ({ state: 'ok', text })

const run = promisify(execFile)

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

/** Every file of the branch can be read, and what the ledger applied is on it. */
const gardenCheck = (of: Examined): Promise<Found> =>
  onLedger(of, async (db, env) => {
    const gitdir = gardenFolder(env)
    const garden = await openGitRepository(gitdir)
    const finding = await gardenFinding({ db, garden, env })
    if (finding.status !== 'healthy')
      return { state: 'FAIL', text: finding.message ?? finding.status, remedy: 'npm run repair-garden' }
    const broken = (await unreadable(garden)) ?? (await fsck(gitdir))
    if (broken) return { state: 'FAIL', text: broken, remedy: 'bring garden.git back from a backup' }
    return ok(`${(await garden.list()).length} files, ledger and branch agree`)
  })

async function unreadable(garden: GitRepository): Promise<string | null> {
  for (const { path } of await garden.list()) {
    const file = await garden.read(path).catch(() => null)
    if (!file) return `${path} cannot be read`
  }
  return null
}

/** The whole history, where git is installed. */
async function fsck(gitdir: string): Promise<string | null> {
  const args = ['--git-dir', gitdir, 'fsck', '--no-dangling', '--connectivity-only']
  const failed = await run('git', args).then(
    () => null,
    (error: NodeJS.ErrnoException & { stderr?: string }) => error,
  )
  if (!failed || failed.code === 'ENOENT' || /dubious ownership/.test(failed.stderr ?? '')) return null
  return `git fsck: ${(failed.stderr || failed.message).split('\n')[0]}`
}

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
