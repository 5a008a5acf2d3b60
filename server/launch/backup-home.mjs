/**
 * `npm run backup -- <file> [--without-secrets]` under the product's own Node: one file with the ledger, the garden and the
 * objects of BLOOM_HOME, with the environment of `npm start`. The instance may be running; one that is not is left
 * stopped. What is in the file and in which order it is read: server/copies/README.md.
 */
import fs from 'node:fs'
import path from 'node:path'
import { fileArgument } from './arguments.mjs'
import { runCommand } from './command.mjs'
import { preparedAddresses } from './database.mjs'
import { readIdentity } from './identity.mjs'
import { roleOptions } from './prepare.mjs'
import { LaunchFault, say } from './progress.mjs'
import { runningAccount } from './running.mjs'

/** What is being written, for a signal that comes meanwhile. */
let partial = ''

await runCommand(backup, () => {
  if (partial) fs.rmSync(partial, { force: true })
})

async function backup(open) {
  const { file, flags } = fileArgument(['without-secrets'], 'npm run backup -- <file> [--without-secrets]')
  const home = path.resolve(process.env.BLOOM_HOME || '.bloom')
  const identity = readIdentity(home)
  if (!identity) {
    throw new LaunchFault(
      `There is no Garden Bloom in ${home}, or it was made by an earlier version: start it once, or name another BLOOM_HOME`,
    )
  }
  const { loadEnv } = await import('../env.ts')
  const { openBackupParts } = await import('../composition/open-copy-parts.ts')
  const { makeBackup } = await import('../copies/make-backup.ts')
  const { VERSION } = await import('../system/version.ts')
  const url = await ledgerOf(open, home)
  const env = loadEnv({ ...process.env, BLOOM_HOME: home, DATABASE_URL: url })
  const secrets = path.join(home, 'secrets.json')
  say(`Backing up ${home}`)
  if (!fs.existsSync(`${file}.partial`)) partial = `${file}.partial`
  const { bytes, sha256, manifest } = await makeBackup(
    {
      ...(await openBackupParts(env)),
      url,
      homeId: identity.home_id,
      productVersion: VERSION,
      secrets: flags['without-secrets'] || !fs.existsSync(secrets) ? null : fs.readFileSync(secrets),
      now: () => new Date(),
      say: (text) => say(`  ${text}`),
    },
    file,
  ).catch((error) => {
    throw new LaunchFault(`No backup was made: ${error.message}`, { cause: error })
  })
  say(`Wrote ${file} (${bytes} bytes, SHA-256 ${sha256})`)
  say(
    manifest.has_secrets
      ? 'It holds secrets and password hashes: keep it where nobody else can read it'
      : 'It holds no secrets: zone codes that were given out do not work in a home restored from it',
  )
}

/** The owner's address in an outside database, in the running server of this home, or in one started for this. */
async function ledgerOf(open, home) {
  const account = runningAccount(home) ?? (await started(open, home))
  return (await preparedAddresses(account, roleOptions(home))).owner
}

async function started(open, home) {
  const server = await open({ home }).startPostgres(roleOptions(home).passwords().superuser)
  return server.urlOf('bloom')
}
