/**
 * Which home this is, and which database belongs to it.
 *
 * `BLOOM_HOME/identity.json` holds an id made at the first start, and the ledger's table `installation` the same id. A start
 * whose home and database disagree is refused: a garden and a ledger that do not know each other would corrupt both. A home
 * that was bound once and finds a database without an id has lost its ledger, which is refused as well.
 *
 * The file also names the place of the home. At another place it was moved (the old place has it no more) or copied (it
 * does). A copy becomes an installation of its own: new id, new signing keys, no sessions, no machine keys; so nothing that the original
 * has signed or given out is good here. A copy that was given the original's outside database is refused.
 *
 * The one exception is `npm run rebuild`: it gives a home that lost its ledger an empty database, in the transaction that fills it.
 *
 * How it fails: `next_id` is written before a copy's database is changed, so an interrupted renewal is completed by the next
 * start. An identity.json that is no such file stops the start.
 */
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { LaunchFault, say } from './progress.mjs'
import { renewSigningKeys } from './secrets.mjs'

const FILE = 'identity.json'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * @typedef {object} Identity
 * @property {string} home_id
 * @property {string} place the real path of the home when it was last started
 * @property {boolean} bound whether the database has confirmed the id
 * @property {string} [next_id] the id that a copy is taking on
 */

/**
 * What identity.json says; null when there is none.
 * @param {string} home
 * @returns {Identity | null}
 */
export function readIdentity(home) {
  const file = path.join(home, FILE)
  let text
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw new LaunchFault(`${file} cannot be read: ${error.code}`)
  }
  const identity = parsed(text)
  if (identity) return identity
  throw new LaunchFault(`${file} does not hold the identity of a home: restore it from a backup`)
}

/** @returns {Identity | null} */
function parsed(text) {
  try {
    const { home_id: id, place, bound, next_id: next } = JSON.parse(text)
    const isWhole = UUID.test(id) && typeof place === 'string' && typeof bound === 'boolean'
    return isWhole && (next === undefined || UUID.test(next)) ? JSON.parse(text) : null
  } catch {
    return null
  }
}

/**
 * Writes identity.json as a whole.
 * @param {string} home
 * @param {Identity} identity
 */
export function writeIdentity(home, identity) {
  const fresh = path.join(home, `${FILE}.new`)
  fs.writeFileSync(fresh, `${JSON.stringify(identity, null, 2)}\n`, { flush: true })
  fs.renameSync(fresh, path.join(home, FILE))
}

/**
 * Makes sure that home and database belong together; throws a LaunchFault when they do not.
 * @param {{ home: string, url: string, embedded: boolean }} parts `embedded`: the database lies inside the home
 */
export async function bindIdentity({ home, url, embedded }) {
  const place = fs.realpathSync(home)
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // The failing query reports it.
  await client.connect()
  try {
    const known = readIdentity(home) ?? (await firstIdentity(client, { home, place, embedded }))
    if (isCopy(known, place)) return await becomeAnother(client, known, { home, place, embedded })
    const bound = await bind(client, known)
    if (!isOneOf(bound, known)) throw disagreement(home, known, bound)
    if (known.place !== place || !known.bound || known.next_id)
      writeIdentity(home, { home_id: bound, place, bound: true })
  } finally {
    await client.end()
  }
}

/** A home without an id: a new one, one of an earlier version, or one whose file was lost while its database is inside. */
async function firstIdentity(client, { home, place, embedded }) {
  const inside = embedded ? await boundTo(client) : null
  const identity = { home_id: inside ?? crypto.randomUUID(), place, bound: inside !== null }
  writeIdentity(home, identity)
  return identity
}

/** True when the home was made at another place, and is still there. */
function isCopy(known, place) {
  if (known.place === place) return false
  const other = path.join(known.place, FILE)
  return fs.existsSync(other) && readIdentity(known.place)?.home_id === known.home_id
}

async function becomeAnother(client, known, { home, place, embedded }) {
  if (!embedded) {
    throw new LaunchFault(
      `${home} is a copy of ${known.place}, and DATABASE_URL names the database that belongs to the original. ` +
        'Give the copy a database of its own: make a backup of the original (npm run backup) and restore it (npm run restore)',
    )
  }
  const bound = await bind(client, known)
  if (!isOneOf(bound, known)) throw disagreement(home, known, bound)
  const next = known.next_id ?? crypto.randomUUID()
  writeIdentity(home, { ...known, next_id: next })
  renewSigningKeys(home)
  await client.query('BEGIN')
  await becomeHome(client, next)
  await client.query('COMMIT')
  writeIdentity(home, { home_id: next, place, bound: true })
  say(
    `This home is a copy of ${known.place}: it has an identity and keys of its own now; all sessions are ended, and machine keys are revoked`,
  )
}

/**
 * Gives the database to this home and ends everything by which somebody is signed in or could be without a password, keys of machines
 * included. Part of the caller's transaction.
 * @param {pg.ClientBase} client
 * @param {string} homeId
 * @param {{ keepSessions?: boolean }} [options]
 */
export async function becomeHome(client, homeId, { keepSessions = false } = {}) {
  await client.query(
    `INSERT INTO installation (home_id) VALUES ($1)
     ON CONFLICT (only_row) DO UPDATE SET home_id = excluded.home_id, bound_at = clock_timestamp()`,
    [homeId],
  )
  if (!keepSessions) {
    await client.query('UPDATE session SET ended_at = clock_timestamp() WHERE ended_at IS NULL')
    await client.query('UPDATE sign_in_link SET used_at = clock_timestamp() WHERE used_at IS NULL')
    const { revokeKeysOfOriginal } = await import('../keys/revoke-keys-of-original.ts')
    await revokeKeysOfOriginal(client)
  }
}

/**
 * The identity under which the ledger of a home is made again. Throws a LaunchFault for a folder that is no home, and for a copy, which
 * has to become an installation of its own first.
 * @param {string} home
 * @returns {{ home_id: string, place: string }}
 */
export function identityToRebuild(home) {
  const known = readIdentity(home)
  if (!known) throw new LaunchFault(`There is no Garden Bloom in ${home}: name another BLOOM_HOME`)
  const place = fs.realpathSync(home)
  if (isCopy(known, place))
    throw new LaunchFault(`${home} is a copy of ${known.place}, whose database is there: rebuild that home`)
  return { home_id: known.next_id ?? known.home_id, place }
}

/**
 * Gives a database to a home that lost its own. Part of the transaction that brings the rows; throws when it belongs to another home.
 * @param {pg.ClientBase} client
 * @param {string} home
 * @param {string} homeId
 */
export async function bindRebuilt(client, home, homeId) {
  const bound = await boundTo(client)
  if (bound !== null && bound !== homeId) throw disagreement(home, { home_id: homeId }, bound)
  await becomeHome(client, homeId, { keepSessions: true })
}

async function boundTo(client) {
  const { rows } = await client.query('SELECT home_id FROM installation')
  return rows[0]?.home_id ?? null
}

/** The id that the database has now; a database without one takes that of a home that never had another database. */
async function bind(client, known) {
  if (!known.bound) {
    await client.query('INSERT INTO installation (home_id) VALUES ($1) ON CONFLICT DO NOTHING', [
      known.home_id,
    ])
  }
  return await boundTo(client)
}

const isOneOf = (bound, known) => bound !== null && [known.home_id, known.next_id].includes(bound)

function disagreement(home, known, bound) {
  if (bound === null) {
    return new LaunchFault(
      `The database of ${home} is empty, though this home had one: its ledger is missing. ` +
        'Name the right database in DATABASE_URL, restore the home from a backup (npm run restore), or, without a backup, make the ledger again from its objects (npm run rebuild)',
    )
  }
  return new LaunchFault(
    `The database does not belong to ${home}: it is that of home ${bound}, and this is home ${known.home_id}. ` +
      `Start it with the home it belongs to, or name another DATABASE_URL. If they do belong together, set "home_id" in ${path.join(home, FILE)} to ${bound}`,
  )
}
