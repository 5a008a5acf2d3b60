/** What an instance needs before any of its programs can run: a migrated ledger, the database client, the environment. */
import { copyBlank } from './blank-cluster.mjs'
import { generateClient } from './build.mjs'
import { closeOtherDatabases, prepareDatabase } from './database.mjs'
import { bindIdentity } from './identity.mjs'
import { LaunchFault, say } from './progress.mjs'
import { DATABASE_PASSWORDS, ensureSecrets } from './secrets.mjs'

/** Addresses that are the launcher's to hand out: a program gets its own one as DATABASE_URL. */
const ADDRESSES = /** @type {const} */ ({
  web: 'DATABASE_URL_WEB',
  worker: 'DATABASE_URL_WORKER',
  control_plane: 'DATABASE_URL_CONTROL_PLANE',
})

/**
 * Starts PostgreSQL, unless DATABASE_URL names one, migrates it, gives each process its role, and makes sure that it belongs
 * to this home.
 * @param {import('./instance.mjs').Instance} instance
 * @param {string} home
 * @returns {Promise<{ urls: import('./database.mjs').LedgerUrls, identity: string }>} `identity` is an id that no other database has
 */
export async function prepareLedger(instance, home) {
  const options = roleOptions(home)
  const server = process.env.DATABASE_URL
    ? null
    : await embeddedServer(instance, options.passwords().superuser)
  const [{ applied, identity, urls }] = await Promise.all([
    prepareDatabase(server?.urlOf('bloom') ?? process.env.DATABASE_URL ?? '', options),
    server && closeOtherDatabases(server.urlOf('postgres')),
  ])
  if (applied.length) say(`Applied ${applied.length} migration(s)`)
  await bindIdentity({ home, url: urls.owner, embedded: !process.env.DATABASE_URL })
  if (await generateClient()) say('Generated the database client')
  return { urls, identity }
}

/**
 * How the roles of this home's database are made or found.
 * @param {string} home
 */
export function roleOptions(home) {
  const of = (/** @type {keyof typeof ADDRESSES} */ account) => process.env[ADDRESSES[account]] || undefined
  const given = { web: of('web'), worker: of('worker'), control_plane: of('control_plane') }
  if (!process.env.DATABASE_URL && Object.values(given).some(Boolean))
    throw new LaunchFault(`${Object.values(ADDRESSES).join(', ')} need DATABASE_URL beside them\n`)
  return { passwords: () => passwords(home), given }
}

/** The passwords of the database's accounts, each from its variable or from the home. */
function passwords(home) {
  const kept = ensureSecrets(home)
  const of = (/** @type {keyof typeof DATABASE_PASSWORDS} */ account) =>
    process.env[DATABASE_PASSWORDS[account]] || kept[DATABASE_PASSWORDS[account]]
  return {
    superuser: of('superuser'),
    owner: of('owner'),
    web: of('web'),
    worker: of('worker'),
    control_plane: of('control_plane'),
  }
}

async function embeddedServer(instance, password) {
  const server = await instance.startPostgres(password, copyBlank)
  say(`PostgreSQL is ready on port ${server.port}`)
  return server
}

/**
 * The environment of the programs: the validated values by the names that loadEnv reads, without what is the launcher's own.
 * The address of each process's role takes the place of DATABASE_URL in `product.mjs`.
 * @param {import('../env.ts').Env} env
 * @param {'production' | 'development'} [mode]
 * @returns {NodeJS.ProcessEnv}
 */
export function programEnv(env, mode = 'production') {
  const given = Object.entries(env).filter(([, value]) => value !== undefined)
  const plain = given.map(([name, value]) => [
    name,
    typeof value === 'boolean' ? (value ? '1' : '0') : String(value),
  ])
  const all = { ...process.env, ...Object.fromEntries(plain), NODE_ENV: mode }
  /** @type {string[]} */
  const own = [...Object.values(ADDRESSES), ...Object.values(DATABASE_PASSWORDS)]
  return Object.fromEntries(Object.entries(all).filter(([name]) => !own.includes(name)))
}
