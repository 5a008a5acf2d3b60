/**
 * One PostgreSQL server for a whole test run, with a migrated template that every test's database is copied from. The roles of
 * the template are those of every copy; all accounts of the server share the run's password.
 *
 * Each run has a server of its own on a free port with its data in a temporary folder, so runs side by side in one
 * checkout do not meet. The server does not sync to disk: its data is thrown away. A run that was killed leaves its
 * server behind; the next run ends such servers, which it knows by the dead process id in the folder's name.
 */
import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { prepareDatabase } from '../database.mjs'
import { startPostgres } from '../postgres.mjs'
import { isAlive } from '../process-identity.mjs'
import { isReachable } from '../unprivileged.mjs'

/** How the workers of a run find its server: the address of its maintenance database. */
export const SERVER_VARIABLE = 'BLOOM_TEST_POSTGRES'
export const TEMPLATE = 'bloom_template'

const PREFIX = 'bloom-test-postgres-'

const SETTINGS = {
  max_connections: 300,
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  log_min_messages: 'fatal',
}

export type TestPostgres = { adminUrl: string; stop: () => Promise<void> }

/** Starts the server, migrates the template and announces the server to child processes; `stop` removes everything. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const temporary = [os.tmpdir(), '/var/tmp', '/tmp'].find(
    (place) => fs.existsSync(place) && isReachable(place),
  )
  const base = temporary ?? os.tmpdir()
  for (const place of new Set([base, '/tmp'])) endLeftovers(place)
  // The folder itself stays open for the server's account; the data directory below it is the server's alone.
  const home = fs.mkdtempSync(path.join(base, `${PREFIX}${process.pid}-`))
  fs.chmodSync(home, 0o711)
  const password = crypto.randomUUID()
  const server = await startPostgres({
    directory: path.join(home, 'data'),
    password,
    settings: SETTINGS,
  })
  const end = () => server.child.kill('SIGQUIT')
  process.once('exit', end)
  const adminUrl = server.urlOf('postgres')
  await createTemplate(adminUrl, server.urlOf(TEMPLATE), password)
  process.env[SERVER_VARIABLE] = adminUrl
  const stop = async () => {
    process.off('exit', end)
    await server.stop()
    fs.rmSync(home, { recursive: true, force: true })
  }
  return { adminUrl, stop }
}

async function createTemplate(adminUrl: string, templateUrl: string, password: string): Promise<void> {
  const passwords = () => ({ owner: password, web: password, worker: password, control_plane: password })
  await prepareDatabase(templateUrl, { passwords })
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    // A database is copied only while nobody is connected to it.
    await client.query(`ALTER DATABASE ${TEMPLATE} WITH ALLOW_CONNECTIONS false IS_TEMPLATE true`)
  } finally {
    await client.end()
  }
}

/** Ends the servers of runs that were killed, whose folders are in this one. */
export function endLeftovers(base: string): void {
  if (!fs.existsSync(base)) return
  for (const name of fs.readdirSync(base)) {
    const owner = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN
    if (!Number.isInteger(owner) || isAlive(owner)) continue
    const home = path.join(base, name)
    try {
      const pid = Number.parseInt(fs.readFileSync(path.join(home, 'data/postmaster.pid'), 'utf8'), 10)
      if (fs.readlinkSync(`/proc/${pid}/cwd`) === path.join(home, 'data')) process.kill(pid, 'SIGQUIT')
    } catch {
      // No server there any more, or not ours to end.
    }
    try {
      fs.rmSync(home, { recursive: true, force: true, maxRetries: 3 })
    } catch {
      // Left by another account: it does not stand in this run's way.
    }
  }
}
