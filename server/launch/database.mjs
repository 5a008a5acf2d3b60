/** The product's database on whatever server it is: made if it is not there, migrated, and told apart from others. */
import pg from 'pg'
import { migrate } from './migrate.mjs'

/** SQLSTATE of a database that does not exist, and of one that somebody else has just created. */
const NO_SUCH_DATABASE = '3D000'
const DUPLICATE = ['42P04', '23505']

/**
 * Creates the database of `url` if the server has none of that name, and migrates it.
 * @param {string} url
 * @returns {Promise<{ applied: string[], identity: string }>} the migrations applied now, and an id that no other database has
 */
export async function prepareDatabase(url) {
  await ensureDatabase(url)
  const applied = await migrate(url)
  return { applied, identity: await identityOf(url) }
}

/**
 * Creates the database of `url` if the server has none of that name.
 * @param {string} url
 */
export async function ensureDatabase(url) {
  try {
    await withClient(url, async () => {})
  } catch (error) {
    if (error.code !== NO_SUCH_DATABASE) throw error
    const server = new URL(url)
    const name = decodeURIComponent(server.pathname.slice(1))
    server.pathname = '/postgres'
    await withClient(server.toString(), (client) =>
      client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`).catch((/** @type {any} */ failure) => {
        if (!DUPLICATE.includes(failure.code)) throw failure
      }),
    )
  }
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
 * @template T
 * @param {string} connectionString
 * @param {(client: pg.Client) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withClient(connectionString, work) {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {}) // The failing query reports it.
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
