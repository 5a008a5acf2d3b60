/**
 * `npm run rebuild [-- --accept-lost-events]` under the product's own Node, with the environment of `npm start`: fills the empty ledger of BLOOM_HOME again
 * from its objects and its garden, for a home whose database is gone. What comes back and what does not: server/rebuild/README.md.
 *
 * It takes the home's lock, so the product does not run meanwhile. A database in which something has happened is refused before anything
 * is changed. Rows and the home's id arrive in one transaction: when it fails or is killed, the database is still empty, no start takes
 * it (identity.mjs), and the command is given again. Objects and garden are read and never written.
 *
 * Events of the audit that are gone for good, though a signed head or later events attest them, are said and nothing is rebuilt, unless
 * `--accept-lost-events` says that the ledger is to go on without them; the audit names the loss from then on.
 */
import fs from 'node:fs'
import path from 'node:path'
import { flagArguments } from './arguments.mjs'
import { runCommand } from './command.mjs'
import { closeOtherDatabases, ensureDatabase, prepareDatabase, withClient } from './database.mjs'
import { bindRebuilt, identityToRebuild, writeIdentity } from './identity.mjs'
import { roleOptions } from './prepare.mjs'
import { LaunchFault, say } from './progress.mjs'

const USAGE = 'npm run rebuild [-- --accept-lost-events]'

const HOW_TO_ACCEPT =
  '. Look for their objects first, in an older version of the store or in a backup. To go on without them: npm run rebuild -- --accept-lost-events; the audit says so from then on, and every verification names the loss'

await runCommand(rebuild)

async function rebuild(open) {
  const acceptLoss = Boolean(flagArguments(['accept-lost-events'], USAGE)['accept-lost-events'])
  const home = path.resolve(process.env.BLOOM_HOME || '.bloom')
  const { home_id: homeId, place } = identityToRebuild(home)
  const instance = open({ home })
  const options = roleOptions(home)
  const account = process.env.DATABASE_URL || (await embedded(instance, home, options.passwords().superuser))
  await refuseUsed(account)
  const { urls, identity } = await prepareDatabase(account, options)
  const rebuilt = await fill(home, urls.owner, { homeId, acceptLoss })
  // The mark of the first garden names the database: it is not made again over this one.
  fs.writeFileSync(path.join(home, 'seeded'), identity)
  writeIdentity(home, { home_id: homeId, place, bound: true })
  await announce(home, rebuilt)
}

async function embedded(instance, home, password) {
  if (!fs.existsSync(path.join(home, 'postgres')))
    say('The database of this home is gone: making an empty one')
  const server = await instance.startPostgres(password)
  await closeOtherDatabases(server.urlOf('postgres'))
  return server.urlOf('bloom')
}

/** Roles are made only for a database in which nothing has happened. */
async function refuseUsed(url) {
  const { isUntouched } = await import('../copies/restore-backup.ts')
  await ensureDatabase(url)
  if (await withClient(url, isUntouched)) return
  throw new LaunchFault(
    'The database is not empty, so nothing was rebuilt. npm start takes it as it is; to have it made anew from objects and garden, move it away first',
  )
}

async function fill(home, url, { homeId, acceptLoss }) {
  const { loadEnv } = await import('../env.ts')
  const { openBackupParts } = await import('../composition/open-copy-parts.ts')
  const { EventsLost } = await import('../rebuild/lost-events.ts')
  const { rebuildLedger } = await import('../rebuild/rebuild-ledger.ts')
  const env = loadEnv({ ...process.env, BLOOM_HOME: home, DATABASE_URL: url })
  say(`Rebuilding the ledger of ${home}`)
  try {
    const { store, garden } = await openBackupParts(env)
    return await rebuildLedger({
      store,
      garden,
      env,
      url,
      acceptLoss,
      bind: (client) => bindRebuilt(client, home, homeId),
      say: (text) => say(`  ${text}`),
    })
  } catch (error) {
    const more = error instanceof EventsLost ? HOW_TO_ACCEPT : ''
    throw new LaunchFault(`Nothing was rebuilt. ${error.message}${more}`, { cause: error })
  }
}

/** @param {string} home @param {import('../rebuild/rebuild-ledger.ts').Rebuilt} rebuilt */
async function announce(home, { rows, faults, lost, brokenAt }) {
  const sum = Object.values(rows).reduce((all, count) => all + count, 0)
  say(`Rebuilt ${sum} rows of ${Object.keys(rows).length} tables`)
  if (faults.length) say(`${faults.length} objects could not be used:`)
  for (const { key, why } of faults) say(`  ${key}: ${why}`)
  if (lost.gaps.length) {
    const { describeLoss } = await import('../rebuild/lost-events.ts')
    say(`${describeLoss(lost)}. The audit declares it, and every verification names it`)
  }
  if (brokenAt !== null)
    say(`The chain of events does not hold at number ${brokenAt}: Audit, Verify chain says more`)
  say(
    'Accounts, sessions, keys, zones, consents and unfinished jobs are no objects: only a backup has them (npm run restore). Sign in with the link of the next start',
  )
  say(`Start it with npm start${process.env.BLOOM_HOME ? ` and BLOOM_HOME=${home}` : ''}`)
}
