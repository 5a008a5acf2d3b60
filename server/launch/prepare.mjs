/** What an instance needs before any of its programs can run: a migrated ledger, the database client, the environment. */
import { generateClient } from './build.mjs'
import { prepareDatabase } from './database.mjs'
import { say } from './progress.mjs'
import { ensureSecrets } from './secrets.mjs'

/**
 * Starts PostgreSQL, unless DATABASE_URL names one, and migrates it.
 * @param {import('./instance.mjs').Instance} instance
 * @param {string} home
 * @returns {Promise<{ url: string, identity: string }>} `identity` is an id that no other database has
 */
export async function prepareLedger(instance, home) {
  const url = process.env.DATABASE_URL || (await embeddedDatabase(instance, home))
  const { applied, identity } = await prepareDatabase(url)
  if (applied.length) say(`Applied ${applied.length} migration(s)`)
  if (await generateClient()) say('Generated the database client')
  return { url, identity }
}

async function embeddedDatabase(instance, home) {
  const password = process.env.BLOOM_POSTGRES_PASSWORD || ensureSecrets(home).BLOOM_POSTGRES_PASSWORD
  const server = await instance.startPostgres(password)
  say(`PostgreSQL is ready on port ${server.port}`)
  return server.urlOf('bloom')
}

/**
 * The environment of the programs: the validated values by the names that loadEnv reads.
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
  return { ...process.env, ...Object.fromEntries(plain), NODE_ENV: mode }
}
