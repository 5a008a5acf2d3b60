/**
 * One program on the home of BLOOM_HOME, under the product's own Node: `in-home.mjs <role> [program] [arguments]`. It runs beside
 * the instance, or on its ledger alone while it is stopped; the addresses with which the home was last started count where
 * the environment says nothing. It ends with the program's code.
 *
 * The role says which account the program has: `web` or `worker` like those processes (the program of the second is the product's own), `owner` for what is done to the whole ledger,
 * `none` for a program that opens no ledger.
 */
import fs from 'node:fs'
import path from 'node:path'
import { runToEnd } from './child.mjs'
import { runCommand } from './command.mjs'
import { preparedAddresses } from './database.mjs'
import { runOnLedger } from './follow-ledger.mjs'
import { readIdentity } from './identity.mjs'
import { prepareLedger, programEnv, roleOptions } from './prepare.mjs'
import { WORKER } from './product.mjs'
import { buildPrograms } from './programs.mjs'
import { LaunchFault } from './progress.mjs'
import { readAddresses, runningAccount } from './running.mjs'

const FOLLOW = import.meta.resolve('./follow-launcher.mjs')
/** Stands in for the ledger's address where none is asked for. */
const NOWHERE = 'postgresql://bloom@127.0.0.1/bloom'

const [role = '', program = '', ...args] = process.argv.slice(2)

await runCommand(async (open, stop) => {
  const home = path.resolve(process.env.BLOOM_HOME || '.bloom')
  if (!fs.existsSync(home) || !readIdentity(home))
    throw new LaunchFault(`There is no Garden Bloom in ${home}: start it once, or name its BLOOM_HOME`)
  const url = await addressOf(open, home)
  const { loadEnv } = await import('../env.ts')
  const given = Object.entries(process.env).filter(([, value]) => value)
  const all = { ...readAddresses(home), ...Object.fromEntries(given), BLOOM_HOME: home, DATABASE_URL: url }
  const secrets = pickedSecrets()
  const env = { ...programEnv(loadEnv(all)), BLOOM_LAUNCHER: String(process.pid), ...secrets }
  const line = ['--import', FOLLOW, ...(await lineOf())]
  // A worker stays: its ledger may move meanwhile.
  if (role === 'worker') return runOnLedger(line, { ...WORKER.env, ...env }, { home, stop })
  return (await runToEnd(process.execPath, line, { env, show: true })).code
})

/** A worker is what an instance starts as its own. */
async function lineOf() {
  return role === 'worker' ? [...WORKER.args, (await buildPrograms()).worker] : [program, ...args]
}

/** A program that opens no ledger looks into the home's secrets itself, and has to see which of them the environment gives. */
function pickedSecrets() {
  return role === 'none' ? { AUDIT_SIGNING_KEY: process.env.AUDIT_SIGNING_KEY ?? '' } : {}
}

async function addressOf(open, home) {
  if (role === 'none') return NOWHERE
  const account = runningAccount(home)
  if (account) return (await preparedAddresses(account, roleOptions(home)))[role]
  if (role === 'worker')
    throw new LaunchFault(
      `Nothing runs in ${home}. npm start brings a worker of its own; npm run worker adds one beside it\n`,
    )
  return (await prepareLedger(open({ home }), home)).urls[role]
}
