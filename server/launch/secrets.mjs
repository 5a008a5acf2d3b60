/**
 * Secrets that nobody gave: generated once into `BLOOM_HOME/secrets.json` (mode 0600), read ever after, never printed.
 *
 * The file is replaced as a whole under a lock, so processes that start together agree on one set. A file that others
 * may read, or that is not the expected JSON, stops the start: guessing would silently sign everybody out.
 */
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { tryLock } from './lock.mjs'
import { LaunchFault } from './progress.mjs'

/** The passwords of the database's accounts: the launcher's own, told to no program. */
export const DATABASE_PASSWORDS = /** @type {const} */ ({
  superuser: 'BLOOM_POSTGRES_PASSWORD',
  owner: 'BLOOM_POSTGRES_OWNER_PASSWORD',
  web: 'BLOOM_POSTGRES_WEB_PASSWORD',
  worker: 'BLOOM_POSTGRES_WORKER_PASSWORD',
  control_plane: 'BLOOM_POSTGRES_CONTROL_PLANE_PASSWORD',
})

/** What the programs know, each with the variable that overrides it. */
export const PROGRAM_SECRETS = /** @type {const} */ ([
  'BLOOM_SESSION_KEY',
  'BLOOM_ZONE_KEY',
  'BLOOM_JOB_TOKEN_KEY',
  'AUDIT_SIGNING_KEY',
  'NOTEBOOKLM_API_KEY',
  'MEMBRIDGE_CALLBACK_TOKEN',
  'MEMBRIDGE_CALLBACK_SIGNING_KEY',
  'MEMBRIDGE_ADMIN_KEY',
  'MEMBRIDGE_AGENT_KEY',
  'RUNTIME_API_KEY',
  'METRICS_TOKEN',
])

/** The private key that signs Web Push, a scalar of P-256: the worker's alone. */
export const PUSH_KEY = 'BLOOM_PUSH_KEY'

/** Every secret the product makes for itself. */
export const SECRET_NAMES = [...PROGRAM_SECRETS, PUSH_KEY, ...Object.values(DATABASE_PASSWORDS)]

/**
 * What goes with the data wherever it is: zone codes were hashed with the one, heads of the audit signed with the other. Neither vouches
 * for anybody.
 */
const KEYS_OF_DATA = ['BLOOM_ZONE_KEY', 'AUDIT_SIGNING_KEY']

/**
 * What vouches for a session, a token or a message of this installation alone; two installations that share one would take each
 * other's word.
 */
export const SIGNING_NAMES = [...PROGRAM_SECRETS, PUSH_KEY].filter((name) => !KEYS_OF_DATA.includes(name))

/** @typedef {Record<typeof SECRET_NAMES[number], string>} Secrets */

/**
 * The secrets kept in this home; missing ones are generated (256 bits each) and written first.
 * @param {string} home
 * @returns {Secrets}
 */
export function ensureSecrets(home) {
  const file = path.join(home, 'secrets.json')
  const known = readSecrets(file)
  if (isComplete(known)) return known
  return replaceSecrets(file, (secrets) => secrets)
}

/**
 * Gives one secret of this home another value; processes that run keep the old one.
 * @param {string} home
 * @param {typeof SECRET_NAMES[number]} name
 * @param {string} value
 */
export function replaceSecret(home, name, value) {
  replaceSecrets(path.join(home, 'secrets.json'), (secrets) => ({ ...secrets, [name]: value }))
}

/**
 * Gives this home new signing keys; what was signed with the old ones counts no longer.
 * @param {string} home
 */
export function renewSigningKeys(home) {
  const kept = ([name]) => !SIGNING_NAMES.some((signing) => signing === name)
  replaceSecrets(path.join(home, 'secrets.json'), (secrets) =>
    Object.fromEntries(Object.entries(secrets).filter(kept)),
  )
}

/**
 * Begins the secrets of a restored home with those of its backup that it goes on with; the rest are new.
 * @param {string} home
 * @param {Record<string, string>} backedUp
 * @param {{ keepSessions: boolean }} options whether what was signed before goes on counting
 */
export function inheritSecrets(home, backedUp, { keepSessions }) {
  const names = keepSessions ? [...PROGRAM_SECRETS, PUSH_KEY] : KEYS_OF_DATA
  const kept = names.flatMap((name) => (backedUp[name] ? [[name, backedUp[name]]] : []))
  replaceSecrets(path.join(home, 'secrets.json'), () => Object.fromEntries(kept))
}

/** @returns {Secrets} what `change` leaves, and new ones for those that are missing then */
function replaceSecrets(file, change) {
  const release = lockSync(`${file}.lock`)
  try {
    const secrets = { ...change(readSecrets(file)) }
    for (const name of SECRET_NAMES) secrets[name] ??= crypto.randomBytes(32).toString('base64url')
    const fresh = `${file}.${process.pid}.new`
    fs.writeFileSync(fresh, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true })
    fs.renameSync(fresh, file)
    return /** @type {Secrets} */ (secrets)
  } finally {
    release()
  }
}

/** @returns {Partial<Secrets>} */
function readSecrets(file) {
  let text
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return {}
    throw new LaunchFault(`${file} cannot be read: ${error.code}`)
  }
  if (process.platform !== 'win32' && fs.statSync(file).mode & 0o077) {
    throw new LaunchFault(`${file} is open to other users: run chmod 600 on it`)
  }
  try {
    const secrets = JSON.parse(text)
    if (Object.values(secrets).every((value) => typeof value === 'string')) return secrets
  } catch {
    // Falls through: what the file holds must not reach a message.
  }
  throw new LaunchFault(
    `${file} is not a JSON object of strings: restore it, or remove it to start with new secrets`,
  )
}

/** @returns {secrets is Secrets} */
function isComplete(/** @type {Partial<Secrets>} */ secrets) {
  return SECRET_NAMES.every((name) => secrets[name])
}

function lockSync(file) {
  let release = tryLock(file)
  while (typeof release === 'number') {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    release = tryLock(file)
  }
  return release
}
