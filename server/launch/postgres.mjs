/**
 * The embedded PostgreSQL: a real server from the package registry, run as a child process of whoever starts it.
 *
 * - A data directory is initialised once and reused. Its superuser's password is the caller's to keep.
 * - PostgreSQL refuses to run as root: under root it is spawned as `nobody`. Binaries that `nobody` cannot reach are
 *   copied once to a folder that belongs to root; a data directory that it cannot reach lives below /var/lib, and the
 *   wanted path becomes a link to it.
 * - The library links that the package makes in its install script are made here, since installs skip scripts.
 * - The server listens on 127.0.0.1 only, on the given port or on a free one.
 * - It is ready when its own postmaster.pid says so and names the child's process: never "something answers there".
 *
 * How it fails: a server left over by a launcher that was killed is stopped first; a stale postmaster.pid of a
 * process that is no PostgreSQL of this directory is removed; a start that fails carries the end of the server's log.
 * After a crash of the server `exited` settles, and a new start recovers from the write-ahead log.
 */
import { execFileSync, spawn } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './ports.mjs'
import { installedBinaries } from './postgres-binaries.mjs'
import { isAlive } from './process-identity.mjs'
import { asUnprivileged, isReachable } from './unprivileged.mjs'

export const SUPERUSER = 'bloom'
const START_LIMIT_MS = 120_000
const STOP_LIMIT_MS = 30_000
const START_ATTEMPTS = 20
const START_RETRY_PAUSE_MS = 500

/**
 * @typedef {object} PostgresServer
 * @property {number} port
 * @property {import('node:child_process').ChildProcess} child
 * @property {Promise<string>} exited settles with a description when the server has ended for any reason
 * @property {(database: string) => string} urlOf the address of a database for the superuser
 * @property {() => Promise<void>} stop ends it (open transactions are rolled back); settles when the process is gone
 */

/**
 * Starts the server of a data directory, which is initialised if it is new.
 * @param {{ directory: string, password: string, port?: number, logFile?: string, settings?: Record<string, string | number> }} options
 * @returns {Promise<PostgresServer>}
 */
export async function startPostgres({ directory, password, port, logFile, settings = {} }) {
  const binaries = installedBinaries()
  const data = prepareDirectory(directory)
  await endLeftover(data)
  if (!fs.existsSync(path.join(data, 'PG_VERSION'))) initialise(binaries, data, password)
  const log = logFile ?? `${directory}.log`
  for (let attempts = 1; ; attempts++) {
    const chosen = port ?? (await freePort())
    try {
      return await launch({ binaries, data, port: chosen, log, settings, password })
    } catch (error) {
      if (!mayPass(error, port === undefined) || attempts >= START_ATTEMPTS) throw error
      await pause(START_RETRY_PAUSE_MS)
    }
  }
}

/**
 * Whether another try may do: somebody took the free port in between, or what a killed server started is still leaving.
 */
function mayPass(error, portIsFree) {
  return (
    /pre-existing shared memory block/.test(error.message) ||
    (portIsFree && /could not bind/.test(error.message))
  )
}

/** Makes the directory the server's own; returns where it really is. */
function prepareDirectory(wanted) {
  const parent = path.dirname(path.resolve(wanted))
  fs.mkdirSync(parent, { recursive: true })
  openToTraversal(parent)
  if (!fs.existsSync(wanted) && !isReachable(parent)) {
    const place = path.join('/var/lib/garden-bloom', `postgres-${crypto.randomUUID()}`)
    fs.mkdirSync(place, { recursive: true, mode: 0o755 })
    fs.rmSync(wanted, { force: true })
    fs.symlinkSync(place, wanted)
  }
  fs.mkdirSync(wanted, { recursive: true })
  const data = fs.realpathSync(wanted)
  const { uid, gid } = asUnprivileged()
  if (uid !== undefined && gid !== undefined) fs.chownSync(data, uid, gid)
  fs.chmodSync(data, 0o700)
  return data
}

/** The folder that holds the data directory is the product's own: another account may pass through it, not read it. */
function openToTraversal(home) {
  if (isReachable(home) || !isReachable(path.dirname(home))) return
  fs.chmodSync(home, fs.statSync(home).mode | 0o001)
}

function initialise(binaries, data, password) {
  // What an interrupted initialisation left behind would make this one refuse.
  for (const entry of fs.readdirSync(data))
    fs.rmSync(path.join(data, entry), { recursive: true, force: true })
  const passwordFile = path.join(data, '..', `.${crypto.randomUUID()}`)
  const readable = isReachable(path.dirname(passwordFile))
    ? passwordFile
    : path.join(os.tmpdir(), path.basename(passwordFile))
  fs.writeFileSync(readable, `${password}\n`, { mode: 0o600 })
  const { uid, gid } = asUnprivileged()
  if (uid !== undefined && gid !== undefined) fs.chownSync(readable, uid, gid)
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '-E', 'UTF8']
  try {
    execFileSync(
      path.join(binaries, 'initdb'),
      ['-D', data, '-U', SUPERUSER, '-A', 'scram-sha-256', '--pwfile', readable, '--no-sync', ...locale],
      { ...asUnprivileged(), cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] },
    )
  } catch (error) {
    fs.rmSync(path.join(data, 'PG_VERSION'), { force: true })
    throw new Error(`PostgreSQL could not be initialised in ${data}: ${error.stderr ?? error.message}`)
  } finally {
    fs.rmSync(readable, { force: true })
  }
}

async function launch({ binaries, data, port, log, settings, password }) {
  const fixed = { listen_addresses: '127.0.0.1', unix_socket_directories: '', port, ...settings }
  const options = Object.entries(fixed).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  fs.mkdirSync(path.dirname(log), { recursive: true })
  const logHandle = fs.openSync(log, 'a', 0o600)
  const logStart = fs.fstatSync(logHandle).size
  const child = spawn(path.join(binaries, 'postgres'), ['-D', data, ...options], {
    ...asUnprivileged(),
    cwd: '/',
    // A session of its own: Ctrl-C in the terminal reaches the launcher, which stops the server last.
    detached: true,
    stdio: ['ignore', logHandle, logHandle],
  })
  fs.closeSync(logHandle)
  let ended = ''
  const exited = new Promise((resolve) => {
    const finish = (reason) => {
      ended ||= reason
      resolve(ended)
    }
    child.once('error', (error) => finish(`PostgreSQL could not be started: ${error.message}`))
    child.once('exit', (code, signal) => finish(`PostgreSQL ended (${signal ?? `exit code ${code}`})`))
  })
  const deadline = Date.now() + START_LIMIT_MS
  while (!isReady(data, child.pid)) {
    if (ended) throw new Error(`${ended}:\n${fs.readFileSync(log, 'utf8').slice(logStart).slice(-2000)}`)
    if (Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`PostgreSQL was not ready within ${START_LIMIT_MS / 1000} s, see ${log}`)
    }
    await pause(15)
  }
  const urlOf = (database) =>
    `postgresql://${SUPERUSER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`
  return { port, child, exited, urlOf, stop: () => stopChild(child, exited, () => ended) }
}

async function stopChild(child, exited, ended) {
  if (ended()) return
  child.kill('SIGINT') // "fast": rolls back, checkpoints, leaves a clean directory.
  const patience = new AbortController()
  const late = pause(STOP_LIMIT_MS, 'late', { signal: patience.signal }).catch(() => '')
  if ((await Promise.race([exited, late])) === 'late') child.kill('SIGQUIT')
  patience.abort()
  await exited
}

const readPidFile = (data) => {
  try {
    return fs.readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

function isReady(data, pid) {
  const lines = readPidFile(data)
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

/** A launcher that was killed leaves its server behind: two servers must never meet in one directory. */
async function endLeftover(data) {
  const pid = Number(readPidFile(data)[0])
  if (!pid) return
  if (isServerOf(pid, data)) {
    process.kill(pid, 'SIGINT')
    for (let waited = 0; isServerOf(pid, data); waited += 20) {
      if (waited === STOP_LIMIT_MS) process.kill(pid, 'SIGQUIT')
      await pause(20)
    }
  }
  fs.rmSync(path.join(data, 'postmaster.pid'), { force: true })
}

/** A postmaster's working directory is its data directory; without /proc a living process gets the benefit of the doubt. */
function isServerOf(pid, data) {
  if (!isAlive(pid)) return false
  if (!fs.existsSync('/proc/self')) return true
  try {
    return fs.readlinkSync(`/proc/${pid}/cwd`) === data
  } catch {
    return false
  }
}
