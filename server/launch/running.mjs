/** What runs in a home, and how it is reached: for commands that are given beside it. */
import fs from 'node:fs'
import path from 'node:path'
import { serverOf } from './data-directory.mjs'
import { ownerOf } from './lock.mjs'
import { urlOfServer } from './postgres.mjs'
import { roleOptions } from './prepare.mjs'

const FILE = 'instance.json'

/** What of its environment an instance shares with the commands that are given beside it. */
const SHARED = /** @type {const} */ ([
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'NLM_PORT',
  'NLM_URL',
  'GATEWAY_URL',
  'MEMBRIDGE_PORT',
  'MEMBRIDGE_URL',
  'NLM_CALLBACK_URL',
])

/**
 * Keeps the addresses of an instance that has started.
 * @param {string} home
 * @param {import('../env.ts').Env} env
 */
export function writeAddresses(home, env) {
  const shared = SHARED.map((name) => [name, String(env[name])])
  const text = JSON.stringify({ place: fs.realpathSync(home), env: Object.fromEntries(shared) }, null, 2)
  fs.writeFileSync(path.join(home, `${FILE}.new`), `${text}\n`)
  fs.renameSync(path.join(home, `${FILE}.new`), path.join(home, FILE))
}

/**
 * The addresses with which the home was last started; none for a copy of it, or before the first start.
 * @param {string} home
 * @returns {Record<string, string>}
 */
export function readAddresses(home) {
  try {
    const { place, env } = JSON.parse(fs.readFileSync(path.join(home, FILE), 'utf8'))
    return place === fs.realpathSync(home) ? env : {}
  } catch {
    return {}
  }
}

/**
 * The process that runs this home, or null.
 * @param {string} home
 * @returns {number | null}
 */
export const launcherOf = (home) => ownerOf(path.join(home, 'instance.lock'))

/**
 * The account of DATABASE_URL, or that of the running server of this home; null while none runs.
 * @param {string} home
 * @returns {string | null}
 */
export function runningAccount(home) {
  if (process.env.DATABASE_URL) return process.env.DATABASE_URL
  const data = path.join(home, 'postgres')
  const running = fs.existsSync(data) ? serverOf(fs.realpathSync(data)) : null
  if (!running) return null
  const password = roleOptions(home).passwords().superuser
  return urlOfServer({ port: running.port, password, database: 'bloom' })
}
