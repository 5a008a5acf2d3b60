/** What `npm run doctor` asks of the database: that it answers, is of this home and of this version, and gives each process its rights. */
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './checkout.mjs'
import { preparedAddresses, withClient } from './database.mjs'
import { databaseOf, standingRights } from './grant-rights.mjs'
import { readIdentity } from './identity.mjs'
import { roleOptions } from './prepare.mjs'
import { wantedRights } from './rights.mjs'
import { SIGNED_IN } from './roles.mjs'
import { runningAccount } from './running.mjs'

/** @type {(text: string) => import('./examine-home.mjs').Found} */
const ok = (text) => ({ state: 'ok', text })
/** @type {(text: string, remedy: string) => import('./examine-home.mjs').Found} */
const fail = (text, remedy) => ({ state: 'FAIL', text, remedy })

/** @type {import('./examine-home.mjs').Check[]} */
export const LEDGER_CHECKS = [
  { name: 'database', needs: ['env'], check: checkDatabase },
  { name: 'schema', needs: ['urls'], check: checkSchema },
  { name: 'identity', needs: ['urls'], check: checkIdentity },
  { name: 'rights', needs: ['urls'], check: checkRights },
]

async function checkDatabase(of) {
  const remedy = process.env.DATABASE_URL
    ? 'is the server of DATABASE_URL up, and the address right?'
    : `look into ${path.join(of.home, 'logs/postgres.log')}; a database that is gone comes back by npm run restore or npm run rebuild`
  try {
    const options = roleOptions(of.home)
    const account = runningAccount(of.home) ?? (await started(of, options.passwords().superuser))
    const urls = await preparedAddresses(account, options)
    const version = await withClient(urls.web, async (client) => {
      const { rows } = await client.query('SHOW server_version')
      return rows[0].server_version
    })
    Object.assign(of, { account, urls })
    return ok(`PostgreSQL ${version} answers`)
  } catch (error) {
    throw Object.assign(error, { remedy })
  }
}

async function started({ open, home, running }, password) {
  if (running) throw new Error('the instance runs, but its PostgreSQL does not')
  if (!fs.existsSync(path.join(home, 'postgres'))) throw new Error('the home has no database')
  return (await open({ home }).startPostgres(password)).urlOf('bloom')
}

async function checkSchema({ urls }) {
  const wanted = fs
    .readdirSync(path.join(ROOT, 'prisma/migrations'), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  const { rows } = await withClient(urls.owner, (client) =>
    client.query(
      'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
    ),
  )
  const applied = rows.map(({ name }) => name)
  const missing = wanted.filter((name) => !applied.includes(name))
  const foreign = applied.filter((name) => !wanted.includes(name))
  if (foreign.length > 0)
    return fail(`the database is of a newer version (${foreign.at(-1)})`, 'use that version of the product')
  if (missing.length > 0) return fail(`${missing.length} migrations are missing`, 'stop it and run npm start')
  return ok(`${applied.length} migrations, none is missing`)
}

async function checkIdentity({ urls, home }) {
  const { rows } = await withClient(urls.owner, (client) => client.query('SELECT home_id FROM installation'))
  const known = readIdentity(home)
  const bound = rows[0]?.home_id
  if (bound && (bound === known?.home_id || bound === known?.next_id))
    return ok('home and database belong together')
  const remedy = 'name the home and the database that belong together (BLOOM_HOME, DATABASE_URL)'
  return fail(
    bound
      ? `the database belongs to ${bound}, the home is ${known?.home_id}`
      : 'the database belongs to no home',
    remedy,
  )
}

/** Compared with the table of rights; a process that shares the owner's account has them all. */
async function checkRights({ urls }) {
  const differing = []
  for (const process of SIGNED_IN) {
    const role = await withClient(urls[process], async (client) => {
      const { rows } = await client.query('SELECT current_user AS name')
      return rows[0].name
    })
    const missing = await withClient(urls.owner, async (client) => {
      const { rows } = await client.query('SELECT current_user AS name')
      if (rows[0].name === role) return []
      const standing = await standingRights(client, role)
      return wantedRights(process, await databaseOf(client)).filter((right) => !standing.includes(right))
    })
    if (missing.length > 0) differing.push(`${role} lacks ${missing.length}, such as ${missing[0]}`)
  }
  return differing.length > 0
    ? fail(differing.join('; '), 'stop it and run npm start, which grants them')
    : ok('web, worker and control plane have theirs')
}
