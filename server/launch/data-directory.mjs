/**
 * The directory of the embedded PostgreSQL: always inside the home, owned by the account that runs the server.
 *
 * A program that may not walk to a directory by its path can still work in it when it is started there. So where root
 * starts the server as another account, the server gets the directory as its working directory, entered by root, and
 * knows it as `/proc/self/cwd`; no folder on the way has to be opened to others. Systems without `/proc` need a path that
 * the account can walk; a home without one is refused with the folder that is closed.
 *
 * How it fails: a home whose `postgres` is a link to data outside (as earlier versions made it) gets a copy of that data
 * before anything starts; the data outside is left as it was, since another home may have the same link. While a server
 * runs on it, and when it is not there, the start is refused.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isAlive, signalIfAlive } from './process-identity.mjs'
import { LaunchFault, say } from './progress.mjs'
import { asUnprivileged, closedOnTheWay } from './unprivileged.mjs'

const ENTERED = '/proc/self/cwd'
const STOP_LIMIT_MS = 30_000

/**
 * @typedef {object} DataDirectory
 * @property {string} real where it is
 * @property {string} place what a program started with `options` is to call it
 * @property {{ uid?: number, gid?: number, cwd: string }} options of the programs that work in it
 */

/**
 * Makes the directory the server's own.
 * @param {string} wanted
 * @returns {DataDirectory}
 */
export function prepareDataDirectory(wanted) {
  fs.mkdirSync(path.dirname(path.resolve(wanted)), { recursive: true })
  if (fs.lstatSync(wanted, { throwIfNoEntry: false })?.isSymbolicLink()) takeInside(wanted)
  fs.mkdirSync(wanted, { recursive: true })
  const real = fs.realpathSync(wanted)
  const { uid, gid } = asUnprivileged()
  if (uid !== undefined && gid !== undefined && fs.statSync(real).uid !== uid) giveTo(real, uid, gid)
  fs.chmodSync(real, 0o700)
  return { real, ...entranceOf(real) }
}

/** @param {string} real */
function entranceOf(real) {
  const account = asUnprivileged()
  if (account.uid === undefined) return { place: real, options: { cwd: '/' } }
  if (fs.existsSync(ENTERED)) return { place: ENTERED, options: { ...account, cwd: real } }
  const closed = closedOnTheWay(path.dirname(real))
  if (!closed) return { place: real, options: { ...account, cwd: '/' } }
  throw new LaunchFault(
    `PostgreSQL does not run as root, and the account nobody cannot reach ${real}: ${closed} is closed to it. ` +
      'Start as another account, or set BLOOM_HOME to a folder that everybody may pass through, such as /var/lib/garden-bloom/home',
  )
}

/**
 * Makes a home that is not there, closed to all other accounts of the machine: it holds the garden's notes. Where the server's account has to walk
 * to its data by path, it may pass through. A home that is there stays as its owner made it.
 * @param {string} home
 */
export function ensureHome(home) {
  const walked = asUnprivileged().uid !== undefined && !fs.existsSync(ENTERED)
  fs.mkdirSync(home, { recursive: true, mode: walked ? 0o711 : 0o700 })
}

/** A data directory that was copied or unpacked by root belongs to root throughout. */
function giveTo(directory, uid, gid) {
  for (const entry of fs.readdirSync(directory, { recursive: true, withFileTypes: true }))
    fs.lchownSync(path.join(entry.parentPath, entry.name), uid, gid)
  fs.chownSync(directory, uid, gid)
}

function takeInside(link) {
  const outside = path.resolve(path.dirname(link), fs.readlinkSync(link))
  if (!fs.existsSync(path.join(outside, 'PG_VERSION'))) {
    throw new LaunchFault(
      `${link} is a link to ${outside}, where there is no database: the ledger of this home is not here. ` +
        'Restore the home from a backup (npm run restore), or bring that folder back',
    )
  }
  refuseInUse(link, outside)
  const arriving = `${link}.arriving`
  fs.rmSync(arriving, { recursive: true, force: true })
  fs.cpSync(outside, arriving, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  refuseInUse(link, outside)
  fs.rmSync(path.join(arriving, 'postmaster.pid'), { force: true })
  fs.rmSync(link)
  fs.renameSync(arriving, link)
  say(
    `The database was copied from ${outside} into ${link}; once all is well, the folder outside can be removed`,
  )
}

function refuseInUse(link, outside) {
  if (!serverOf(outside)) return
  throw new LaunchFault(
    `${link} is a link to ${outside}, and a PostgreSQL runs on it: this home is a copy of one that is running. ` +
      'Make a backup of that one (npm run backup) and restore it here, or stop it first',
  )
}

/**
 * The process id and port of the server that runs in this very directory; null when none does. A copied directory brings
 * the `postmaster.pid` of its original with it, which names another directory.
 * @param {string} data the real path
 * @returns {{ pid: number, port: number } | null}
 */
export function serverOf(data) {
  const [pid, directory, , port] = readPidFile(data)
  if (!isAlive(Number(pid))) return null
  const at = fs.existsSync('/proc/self') ? workingDirectory(Number(pid)) : directory
  return at === data ? { pid: Number(pid), port: Number(port) } : null
}

/**
 * Ends the server that a launcher which was killed left in this very directory: two must never meet there. Settles when it is gone.
 * @param {string} data the real path
 */
export async function endServerOf(data) {
  const left = serverOf(data)
  if (left) signalIfAlive(left.pid, 'SIGINT')
  for (let waited = 0; left && serverOf(data)?.pid === left.pid; waited += 20) {
    if (waited === STOP_LIMIT_MS) signalIfAlive(left.pid, 'SIGQUIT')
    await pause(20)
  }
  fs.rmSync(path.join(data, 'postmaster.pid'), { force: true })
}

/** The lines of postmaster.pid; none when there is no such file. */
export function readPidFile(data) {
  try {
    return fs.readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

/** A postmaster's working directory is its data directory. */
function workingDirectory(pid) {
  try {
    return fs.readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}
