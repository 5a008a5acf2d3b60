/**
 * The product's database on whatever server it is: made if it is not there, its roles made or taken as given, migrated by the
 * owner of the schema, each process's rights brought to the table of `rights.mjs`.
 *
 * An account that may create roles makes them (`roles.mjs`). One that may not is itself the schema's owner; processes whose
 * address is given run under that one's role, the others under the same account, and say so in their log.
 */
import pg from 'pg'
import { grantRights } from './grant-rights.mjs'
import { migrate } from './migrate.mjs'
import { LaunchFault } from './progress.mjs'
import { makeRoles, mayMakeRoles, roleNames, SIGNED_IN } from './roles.mjs'

/** SQLSTATE of a database that does not exist, and of one that somebody else has just created. */
const NO_SUCH_DATABASE = '3D000'
const DUPLICATE = ['42P04', '23505']
const NOT_PERMITTED = '42501'
/** The key of the advisory lock under which one start at a time prepares a database. */
const LOCK = 72707370

/**
 * Where each part of the product finds the ledger: the owner's address is for migrations, scenarios and copies alone.
 * @typedef {{ owner: string, web: string, worker: string, control_plane: string }} LedgerUrls
 */

/** Addresses of roles that somebody else made. @typedef {Partial<Record<typeof SIGNED_IN[number], string>>} GivenUrls */

/**
 * Creates the database of `url` if the server has none of that name, makes its roles, migrates it and grants the rights.
 * @param {string} url of an account that owns the database, or may create roles
 * @param {{ passwords?: () => import('./roles.mjs').RolePasswords, given?: GivenUrls }} [options] without
 *   passwords no roles are made, and they are asked for only then
 * @returns {Promise<{ applied: string[], identity: string, urls: LedgerUrls }>} the migrations applied now, an id that no other
 *   database has, and the addresses
 */
export async function prepareDatabase(url, { passwords, given = {} } = {}) {
  return withDatabase(url, async (account) => {
    await account.query('SELECT pg_advisory_lock($1)', [LOCK])
    const { urls, roles } = await rolesFor(account, url, passwords, given)
    const applied = await migrate(urls.owner)
    const [identity] = await Promise.all([identityOf(urls.owner), grantRights(account, roles)])
    return { applied, identity, urls }
  })
}

/** The address of each part, and the role behind it where it is not the account's own. */
async function rolesFor(account, url, passwords, given) {
  const names = roleNames(account.database)
  const chosen = passwords && (await mayMakeRoles(account)) ? passwords() : null
  if (chosen) await makeRoles(account, names, chosen).catch(explain)
  const urls = addressesOf(url, chosen && { names, passwords: chosen }, given)
  const users = await Promise.all(
    SIGNED_IN.map(async (process) => [process, await userOf(process, urls[process])]),
  )
  const candidates = { guest: await existing(account, names.guest), ...Object.fromEntries(users) }
  const { rows } = await account.query('SELECT current_user AS name')
  const others = Object.entries(candidates).filter(([, name]) => name && name !== rows[0].name)
  if (new Set(others.map(([, name]) => name)).size < others.length)
    throw new LaunchFault(
      `Two of ${SIGNED_IN.map(variableOf).join(', ')} name the same role: give each process its own\n`,
    )
  if (!chosen) needControlPlane(given)
  return { urls, roles: Object.fromEntries(others) }
}

/** Whoever made roles by hand before there was a control plane has none for it; the schema's owner must not stand in. */
function needControlPlane(/** @type {GivenUrls} */ given) {
  if (given.control_plane || !(given.web || given.worker)) return
  throw new LaunchFault(
    `${variableOf('control_plane')} is missing: the control plane would run as the owner of the schema. Make a role for it as for the others and give its address (README, Operations).\n`,
  )
}

const variableOf = (/** @type {string} */ process) => `DATABASE_URL_${process.toUpperCase()}`

/**
 * Each part's address: the one that was given, that of its own role where roles are made, or the account's.
 * @param {string} url
 * @param {{ names: import('./roles.mjs').RoleNames, passwords: import('./roles.mjs').RolePasswords } | null} made
 * @param {GivenUrls} given
 * @returns {LedgerUrls}
 */
function addressesOf(url, made, given) {
  const of = (/** @type {keyof LedgerUrls} */ role) =>
    made ? addressAs(url, made.names[role], made.passwords[role]) : url
  return {
    owner: of('owner'),
    web: given.web ?? of('web'),
    worker: given.worker ?? of('worker'),
    control_plane: given.control_plane ?? of('control_plane'),
  }
}

/**
 * The same address for another account.
 * @param {string} url
 * @param {string} name
 * @param {string} password
 */
export function addressAs(url, name, password) {
  const address = new URL(url)
  if (address.host) {
    address.username = encodeURIComponent(name)
    address.password = encodeURIComponent(password)
  } else {
    // An address by a socket's folder has no place for an account before the host.
    address.searchParams.set('user', name)
    address.searchParams.set('password', password)
  }
  return address.toString()
}

/** The role behind a process's address; an address that does not answer ends the start before anything is changed. */
async function userOf(process, url) {
  try {
    return await withClient(url, async (client) => {
      const { rows } = await client.query('SELECT current_user AS name')
      return rows[0].name
    })
  } catch (error) {
    throw new LaunchFault(
      `The ${process} process cannot sign in to the database: ${error.message}\nAllow its role there, or give ${variableOf(process)} (README, Operations).\n`,
    )
  }
}

async function existing(client, name) {
  const { rows } = await client.query('SELECT rolname AS name FROM pg_roles WHERE rolname = $1', [name])
  return rows[0]?.name
}

function explain(error) {
  if (error.code !== NOT_PERMITTED) throw error
  throw new LaunchFault(
    `The account of DATABASE_URL may create roles but not manage this database's: ${error.message}.\nMake them by hand and give ${SIGNED_IN.map(variableOf).join(', ')} (README, Operations).\n`,
  )
}

/**
 * Keeps all but the superuser out of the databases that a server brings with it: for a server that is the product's alone.
 * @param {string} url of the superuser, of any database there
 */
export const closeOtherDatabases = (url) =>
  withClient(url, (client) =>
    client.query('REVOKE CONNECT, TEMPORARY ON DATABASE postgres, template1 FROM PUBLIC'),
  )

/**
 * Creates the database and its roles without a schema, for a restore, which brings one.
 * @param {string} url as for `prepareDatabase`
 * @param {{ passwords?: () => import('./roles.mjs').RolePasswords, given?: GivenUrls }} [options]
 * @returns {Promise<string>} the address of the schema's owner
 */
export async function prepareOwner(url, { passwords, given = {} } = {}) {
  return withClient(url, async (account) => {
    await account.query('SELECT pg_advisory_lock($1)', [LOCK])
    return (await rolesFor(account, url, passwords, given)).urls.owner
  })
}

/**
 * The addresses of a database that was prepared before; nothing is changed there.
 * @param {string} url as for `prepareDatabase`
 * @param {{ passwords: () => import('./roles.mjs').RolePasswords, given?: GivenUrls }} options
 * @returns {Promise<LedgerUrls>}
 */
export const preparedAddresses = (url, { passwords, given = {} }) =>
  withClient(url, async (account) => {
    const chosen = (await mayMakeRoles(account)) ? passwords() : null
    const names = roleNames(account.database ?? '')
    return addressesOf(url, chosen && { names, passwords: chosen }, given)
  })

/**
 * Creates the database of `url` if the server has none of that name.
 * @param {string} url
 */
export const ensureDatabase = (url) => withDatabase(url, async () => {})

/** As `withClient`, in a database that is created where the server has none of that name. */
async function withDatabase(url, work) {
  try {
    return await withClient(url, work)
  } catch (error) {
    if (error.code !== NO_SUCH_DATABASE) throw error
  }
  const server = new URL(url)
  const name = decodeURIComponent(server.pathname.slice(1))
  server.pathname = '/postgres'
  await withClient(server.toString(), (client) =>
    client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`).catch((/** @type {any} */ failure) => {
      if (!DUPLICATE.includes(failure.code)) throw failure
    }),
  )
  return withClient(url, work)
}

/** The book of migrations has random ids: the first of them names this database and no other. */
function identityOf(url) {
  return withClient(url, async (client) => {
    const { rows } = await client.query(
      'SELECT id FROM _prisma_migrations ORDER BY migration_name, id LIMIT 1',
    )
    return rows[0]?.id ?? 'empty'
  })
}

/**
 * One connection for one piece of work.
 * @template T
 * @param {string} connectionString
 * @param {(client: pg.Client) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withClient(connectionString, work) {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {}) // The failing query reports it.
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
