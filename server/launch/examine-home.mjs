/**
 * `npm run doctor` under the product's own Node: what of this machine and of BLOOM_HOME is in order, one line each, and what to do
 * about the rest. It may run beside the instance; for a stopped one the embedded PostgreSQL is started meanwhile. Nothing is
 * repaired and nothing migrated. Ends with 1 when something fails; a warning is none.
 *
 * A check that needs what another found broken is left out, so each cause has one line.
 */
import path from 'node:path'
import { runCommand } from './command.mjs'
import { HOME_CHECKS } from './home-checks.mjs'
import { LEDGER_CHECKS } from './ledger-checks.mjs'
import { print } from './progress.mjs'
import { launcherOf, readAddresses } from './running.mjs'

/**
 * @typedef {object} Examined what checks know of each other
 * @property {string} home
 * @property {string} startedBy the version of the Node that npm runs
 * @property {boolean} running
 * @property {(options: { home: string }) => import('./instance.mjs').Instance} open
 * @property {import('../env.ts').Env} [env]
 * @property {string} [account] the ledger's address for the account that prepares it
 * @property {import('./database.mjs').LedgerUrls} [urls]
 *
 * @typedef {{ state: 'ok' | 'warn' | 'FAIL', text: string, remedy?: string }} Found
 * @typedef {{ name: string, needs?: readonly (keyof Examined)[], check: (of: Examined) => Promise<Found> | Found }} Check
 */

const STATE_WIDTH = 6
const NAME_WIDTH = 14

await runCommand(async (open) => {
  const [startedBy = process.version] = process.argv.slice(2)
  const home = path.resolve(process.env.BLOOM_HOME || '.bloom')
  for (const [name, value] of Object.entries(readAddresses(home))) process.env[name] ||= value
  /** @type {Examined} */
  const examined = { home, startedBy, open, running: launcherOf(home) !== null }
  const { STATE_CHECKS } = await import('../composition/state-checks.ts')
  let failed = 0
  for (const one of [...HOME_CHECKS, ...LEDGER_CHECKS, ...STATE_CHECKS]) {
    if (one.needs?.some((what) => examined[what] === undefined)) continue
    const found = await examine(one, examined)
    if (found.state === 'FAIL') failed++
    print(lineOf(one.name, found))
  }
  print(
    failed === 0 ? '\nNothing fails.\n' : `\n${failed} ${failed === 1 ? 'check fails' : 'checks fail'}.\n`,
  )
  return failed === 0 ? 0 : 1
})

async function examine({ check }, examined) {
  try {
    return await check(examined)
  } catch (error) {
    const [first = ''] = String(error?.message || error).split('\n')
    return { state: 'FAIL', text: first, remedy: error?.remedy }
  }
}

function lineOf(name, { state, text, remedy }) {
  const more = remedy && state !== 'ok' ? ` → ${remedy}` : ''
  return `${state.padEnd(STATE_WIDTH)}${name.padEnd(NAME_WIDTH)}${text}${more}\n`
}
