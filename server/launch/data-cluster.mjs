/**
 * The first making of a PostgreSQL data directory: beside its place, and renamed when it is whole.
 *
 * So what stands at the place can be started, at whatever moment a first start was killed. A killed one leaves a folder
 * `<place>.new-…`, which the next one removes. A server that prepares the directory there is ended first; an initdb may still run for a moment and then
 * works in a folder that is gone.
 *
 * How it fails: earlier versions initialised in place. What such a killed start left behind is known by its missing parts and
 * made again, but never where a database of somebody stands in it: that is damage, and PostgreSQL says what is missing.
 */
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { endServerOf } from './data-directory.mjs'

/** PostgreSQL numbers its own databases below this. */
const FIRST_OWN_DATABASE = 16_384
/** What an initialisation makes first and last: the version, the control file, and the database `postgres`. */
const PARTS = ['PG_VERSION', 'global/pg_control', 'base/5/PG_VERSION']
/** The directory that is being made, in its folder beside the place. */
const MAKING = 'data'

/**
 * Makes sure that a whole data directory stands at `place`.
 * @param {string} place
 * @param {(directory: string) => Promise<void> | void} make initialises a directory that does not exist yet
 */
export async function ensureCluster(place, make) {
  await removeLeftovers(place)
  // A link leads to data that an earlier version kept outside: data-directory.mjs takes it in, or says that it is gone.
  if (fs.lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) return
  if (isHalfMade(place)) fs.rmSync(place, { recursive: true, force: true })
  if (fs.existsSync(path.join(place, 'PG_VERSION'))) return
  const staging = `${place}.new-${crypto.randomUUID()}`
  fs.mkdirSync(staging, { recursive: true, mode: 0o711 })
  try {
    const fresh = path.join(staging, MAKING)
    await make(fresh)
    fs.renameSync(fresh, place)
    syncFolder(path.dirname(place))
  } finally {
    fs.rmSync(staging, { recursive: true, force: true })
  }
}

/** Without every part it cannot be started; with a database of somebody it is not ours to remove. */
function isHalfMade(place) {
  if (!fs.existsSync(place)) return false
  if (PARTS.every((part) => fs.existsSync(path.join(place, part)))) return false
  return !hasOwnDatabase(path.join(place, 'base'))
}

function hasOwnDatabase(base) {
  const names = fs.existsSync(base) ? fs.readdirSync(base) : []
  return names.some((name) => Number(name) >= FIRST_OWN_DATABASE)
}

async function removeLeftovers(place) {
  const parent = path.dirname(place)
  const prefix = `${path.basename(place)}.new-`
  for (const name of fs.existsSync(parent) ? fs.readdirSync(parent) : [])
    if (name.startsWith(prefix)) await removeLeftover(path.join(parent, name))
}

/**
 * Removes a folder in which nobody makes a directory any more, and ends the server in it first. An initdb that outlived its launcher may still write there;
 * what it leaves then goes at the next start.
 * @param {string} folder
 */
export async function removeLeftover(folder) {
  const data = path.join(folder, MAKING)
  if (fs.existsSync(data)) await endServerOf(fs.realpathSync(data))
  try {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    if (error.code !== 'ENOTEMPTY') throw error
  }
}

/** Systems that cannot flush a folder are silent about it. */
function syncFolder(folder) {
  if (process.platform === 'win32') return
  const handle = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}
