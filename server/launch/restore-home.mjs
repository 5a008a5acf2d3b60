/**
 * `npm run restore -- <file> [--keep-sessions]` under the product's own Node: makes BLOOM_HOME, which must be absent or empty,
 * from a backup, with the environment of `npm start`; a DATABASE_URL must name an empty database, a MINIO_BUCKET an empty bucket.
 *
 * The whole file is verified first. Then everything is made in `BLOOM_HOME/restoring` and moved into place when it is whole.
 * While that folder is there no start takes the home, and another restore begins anew. An outside database gets its rows in
 * one transaction, and its home's id with them: killed right after that, it must be dropped and made again.
 *
 * The restored home is another installation: new id, new signing keys, no sessions, machine keys revoked (`--keep-sessions`
 * goes on with all of them, for a home that takes the place of a lost one).
 */
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileArgument } from './arguments.mjs'
import { ROOT } from './checkout.mjs'
import { runCommand } from './command.mjs'
import { ensureHome } from './data-directory.mjs'
import { ensureDatabase, prepareDatabase, prepareOwner, withClient } from './database.mjs'
import { becomeHome, writeIdentity } from './identity.mjs'
import { RESTORING } from './instance.mjs'
import { tryLock } from './lock.mjs'
import { migrate } from './migrate.mjs'
import { roleOptions } from './prepare.mjs'
import { LaunchFault, say } from './progress.mjs'
import { inheritSecrets, SIGNING_NAMES } from './secrets.mjs'

/** Everything that a home is made of, in the order in which it is moved into place. */
const PARTS = ['objects', 'garden.git', 'postgres', 'logs', 'seeded', 'secrets.json', 'identity.json']
const USAGE = 'npm run restore -- <file> [--keep-sessions]'

await runCommand(restore)

async function restore(open) {
  const { file, flags } = fileArgument(['keep-sessions'], USAGE)
  const home = path.resolve(process.env.BLOOM_HOME || '.bloom')
  const keepSessions = Boolean(flags['keep-sessions'])
  refuseOccupied(home)
  const archive = await verified(file, keepSessions)
  const release = takeHome(home)
  try {
    await makeHome(open, home, archive, keepSessions)
  } finally {
    release()
  }
  announce(home, keepSessions)
}

/** Makes everything aside and moves it into place; what cannot be made whole is removed. */
async function makeHome(open, home, archive, keepSessions) {
  const stage = path.join(home, RESTORING)
  fs.mkdirSync(stage)
  const embedded = process.env.DATABASE_URL ? null : open({ home: stage })
  try {
    const secrets = archive.secrets ? JSON.parse(archive.secrets.toString('utf8')) : {}
    inheritSecrets(stage, secrets, { keepSessions })
    await fill(stage, archive, { embedded, place: fs.realpathSync(home), keepSessions })
    await embedded?.stop()
  } catch (error) {
    await embedded?.stop()
    fs.rmSync(stage, { recursive: true })
    throw error
  }
  for (const part of PARTS) renameIfThere(path.join(stage, part), path.join(home, part))
  fs.rmSync(stage, { recursive: true })
}

/** Reads all of the file; nothing has been touched when it is refused. */
async function verified(file, keepSessions) {
  if (!fs.existsSync(file)) throw new LaunchFault(`There is no file ${file}`)
  const { verifyArchive } = await import('../copies/read-archive.ts')
  say(`Verifying ${file}`)
  const archive = await verifyArchive(file).catch(plainFault)
  const { manifest, digests } = archive
  say(
    `  ${digests.size} entries as they were written at ${manifest.made_at} from home ${manifest.home_id}, version ${manifest.product_version}`,
  )
  for (const { name, checksum } of manifest.migrations) {
    const migration = path.join(ROOT, 'prisma/migrations', name, 'migration.sql')
    const text = fs.existsSync(migration) ? fs.readFileSync(migration) : null
    if (text && crypto.createHash('sha256').update(text).digest('hex') === checksum) continue
    throw new LaunchFault(
      `The backup was made by another version: this one does not have its migration ${name}. Restore with version ${manifest.product_version} or newer`,
    )
  }
  if (keepSessions && !archive.secrets)
    throw new LaunchFault('The backup holds no secrets, so no session of it can be kept')
  return archive
}

function refuseOccupied(home) {
  const entries = fs.existsSync(home) ? fs.readdirSync(home) : []
  const ours = entries.includes(RESTORING)
    ? [...PARTS, RESTORING, 'instance.lock', 'secrets.json.lock']
    : ['instance.lock']
  const stranger = entries.find((entry) => !ours.includes(entry))
  if (stranger)
    throw new LaunchFault(
      `${home} is not empty (${stranger} is there): name another BLOOM_HOME, or empty this one`,
    )
}

/** Locks the home and removes what an interrupted restore left in it. */
function takeHome(home) {
  ensureHome(home)
  const lock = tryLock(path.join(home, 'instance.lock'))
  if (typeof lock === 'number') throw new LaunchFault(`${home} is in use by process ${lock}`)
  refuseOccupied(home)
  for (const name of [...PARTS, 'secrets.json.lock', RESTORING])
    fs.rmSync(path.join(home, name), { recursive: true, force: true })
  return lock
}

async function fill(stage, archive, { embedded, place, keepSessions }) {
  const { loadEnv } = await import('../env.ts')
  const { openRestoreParts } = await import('../composition/open-copy-parts.ts')
  const { restoreBackup } = await import('../copies/restore-backup.ts')
  const options = roleOptions(stage)
  const account = embedded
    ? (await embedded.startPostgres(options.passwords().superuser)).urlOf('bloom')
    : (process.env.DATABASE_URL ?? '')
  await refuseUsed(account)
  const url = await prepareOwner(account, options)
  await migrateAsFar(url, stage, archive.manifest.migrations)
  const parts = await openRestoreParts(loadEnv({ ...process.env, BLOOM_HOME: stage, DATABASE_URL: url }))
  say('Restoring')
  const homeId = crypto.randomUUID()
  const target = {
    ...parts,
    url,
    bind: (/** @type {import('pg').ClientBase} */ client) => becomeHome(client, homeId, { keepSessions }),
    say: (/** @type {string} */ text) => say(`  ${text}`),
  }
  await restoreBackup(archive, target).catch(plainFault)
  const { applied, identity } = await prepareDatabase(account, options)
  if (applied.length) say(`Applied ${applied.length} newer migration(s)`)
  fs.writeFileSync(path.join(stage, 'seeded'), identity)
  writeIdentity(stage, { home_id: homeId, place, bound: true })
}

/** Roles are made, and their passwords set, only for a database in which nothing has happened yet. */
async function refuseUsed(url) {
  const { isUntouched } = await import('../copies/restore-backup.ts')
  await ensureDatabase(url)
  if (!(await withClient(url, isUntouched)))
    throw new LaunchFault(
      'The database of DATABASE_URL is not empty: name one that is, or drop and create it',
    )
}

/** Migrates an empty database to where the backup's was. */
async function migrateAsFar(url, stage, migrations) {
  const folder = path.join(stage, 'migrations')
  for (const { name } of migrations)
    fs.cpSync(path.join(ROOT, 'prisma/migrations', name), path.join(folder, name), { recursive: true })
  await migrate(url, folder)
  fs.rmSync(folder, { recursive: true })
}

function renameIfThere(from, to) {
  if (fs.existsSync(from)) fs.renameSync(from, to)
}

/** @returns {never} */
function plainFault(error) {
  throw new LaunchFault(`Nothing was restored. ${error.message}`, { cause: error })
}

function announce(home, keepSessions) {
  const given = SIGNING_NAMES.filter((name) => process.env[name])
  say(`Restored into ${home}`)
  if (!keepSessions)
    say('All sessions are ended, machine keys are revoked and signing keys are new: sign in again')
  if (!keepSessions && given.length)
    say(`${given.join(', ')} come from the environment: change them, or old tokens may count`)
  say(`Start it with npm start${process.env.BLOOM_HOME ? ` and BLOOM_HOME=${home}` : ''}`)
}
