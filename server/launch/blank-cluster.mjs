/**
 * The data directory that a new home's is a copy of: initialised, with the product's database in it, which is migrated and has its roles and rights. To
 * make one takes two seconds of processor, a copy a third of one. It lies in `.cache/cluster/<digest>`, by what it was made of, and is made where it is missing.
 *
 * What a copy must have for itself it gets before it stands at its place, by a server that nobody can reach: the password of the superuser,
 * and the ids and times of the book of migrations, which name the database (database.mjs). The passwords of the other roles come with its first
 * preparation, as in any database. Those that the blank one was made with are kept nowhere.
 *
 * How it fails: a start that is killed leaves a folder that the next one removes (data-cluster.mjs). One copies at a time, so that none loses its source to
 * another that makes a newer one.
 */
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './checkout.mjs'
import { ensureCluster, removeLeftover } from './data-cluster.mjs'
import { prepareDataDirectory } from './data-directory.mjs'
import { prepareDatabase } from './database.mjs'
import { digestOf } from './digests.mjs'
import { flushCluster, initialise, runUnreachable, SUPERUSER } from './initialise.mjs'
import { withLock } from './lock.mjs'
import { startPostgres } from './postgres.mjs'
import { installedBinaries } from './postgres-binaries.mjs'
import { verifierOf } from './roles.mjs'

const DATABASE = 'bloom'
const FOLDER = path.join(ROOT, '.cache/cluster')
const LOCK = path.join(ROOT, '.cache/cluster.lock')
const SOURCES = ['prisma/migrations', 'server/launch', 'package-lock.json']

const isSource = (/** @type {string} */ file) => !/\.test\.ts$|\.md$|\/testing\//.test(file)

/** How a folder says that this account may not work in it, or nobody. */
const CLOSED = ['EACCES', 'EPERM', 'EROFS']

/**
 * Makes a copy of the blank one; where the checkout is closed to this account, an empty one, which its first preparation migrates.
 * @type {import('./initialise.mjs').MakeCluster}
 */
export async function copyBlank(fresh, options) {
  try {
    await withLock(LOCK, () => copyInto(fresh, options))
  } catch (error) {
    if (!CLOSED.includes(error.code)) throw error
    fs.rmSync(fresh, { recursive: true, force: true })
    await initialise(fresh, options)
  }
}

/** @type {import('./initialise.mjs').MakeCluster} */
async function copyInto(fresh, { binaries, password, flush }) {
  fs.cpSync(await blank(), fresh, { recursive: true, mode: fs.constants.COPYFILE_FICLONE })
  const data = prepareDataDirectory(fresh)
  const statements = [
    `ALTER ROLE ${SUPERUSER} PASSWORD '${verifierOf(password)}'`,
    'UPDATE _prisma_migrations SET id = gen_random_uuid(), started_at = now(), finished_at = now()',
  ]
  await runUnreachable(data, { binaries, database: DATABASE, statements })
  if (flush) await flushCluster(data, binaries)
}

/** Where the blank one is. Others are of sources that are no more. */
async function blank() {
  const name = digestOf(SOURCES, isSource).slice(0, 16)
  const place = path.join(FOLDER, name)
  for (const other of fs.existsSync(FOLDER) ? fs.readdirSync(FOLDER) : [])
    if (other !== name) await removeLeftover(path.join(FOLDER, other))
  await ensureCluster(place, makeBlank)
  return place
}

async function makeBlank(/** @type {string} */ fresh) {
  const unknown = () => crypto.randomUUID()
  const settings = { fsync: 'off' }
  const server = await startPostgres({ directory: fresh, password: unknown(), settings })
  const passwords = () => ({ owner: unknown(), web: unknown(), worker: unknown(), control_plane: unknown() })
  try {
    await prepareDatabase(server.urlOf(DATABASE), { passwords })
  } finally {
    await server.stop()
  }
  await flushCluster(prepareDataDirectory(fresh), installedBinaries())
}
