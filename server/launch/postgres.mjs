/**
 * The embedded PostgreSQL: a real server from the package registry, run as a child process of whoever starts it.
 *
 * - A data directory is made once, as a whole (data-cluster.mjs), and reused. Its superuser's password is the caller's to keep.
 * - PostgreSQL refuses to run as root: under root it is spawned as `nobody`. Binaries that `nobody` cannot reach are
 *   copied once to a folder that belongs to root; the data stays where it is wanted (data-directory.mjs).
 * - The library links that the package makes in its install script are made here, since installs skip scripts.
 * - The server listens on 127.0.0.1 only, on the given port or on a free one.
 * - It is ready when its own postmaster.pid says so and names the child's process: never "something answers there".
 *
 * How it fails: a server left over by a launcher that was killed is stopped first; a stale postmaster.pid of a
 * process that is no PostgreSQL of this directory is removed; a start that fails carries the end of the server's log.
 * After a crash of the server `exited` settles, and a new start recovers from the write-ahead log.
 */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ensureCluster } from './data-cluster.mjs'
import { endServerOf, prepareDataDirectory, readPidFile } from './data-directory.mjs'
import { initialise, SUPERUSER } from './initialise.mjs'
import { freePort } from './ports.mjs'
import { installedBinaries } from './postgres-binaries.mjs'

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
 * Starts the server of a data directory. One that is not there is made first: empty, unless `make` says how.
 * @param {{ directory: string, password: string, port?: number, avoid?: readonly number[], logFile?: string, settings?: Record<string, string | number>, make?: import('./initialise.mjs').MakeCluster }} options
 * @returns {Promise<PostgresServer>}
 */
export async function startPostgres({
  directory,
  password,
  port,
  avoid,
  logFile,
  settings = {},
  make = initialise,
}) {
  const binaries = installedBinaries()
  const flush = settings.fsync !== 'off'
  await ensureCluster(directory, (fresh) => make(fresh, { binaries, password, flush }))
  const data = prepareDataDirectory(directory)
  await endServerOf(data.real)
  const log = logFile ?? `${directory}.log`
  for (let attempts = 1; ; attempts++) {
    const chosen = port ?? (await freePort(avoid))
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

async function launch({ binaries, data, port, log, settings, password }) {
  const fixed = { listen_addresses: '127.0.0.1', unix_socket_directories: '', port, ...settings }
  const options = Object.entries(fixed).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  fs.mkdirSync(path.dirname(log), { recursive: true })
  const logHandle = fs.openSync(log, 'a', 0o600)
  const logStart = fs.fstatSync(logHandle).size
  const child = spawn(path.join(binaries, 'postgres'), ['-D', data.place, ...options], {
    ...data.options,
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
  while (!isReady(data.real, child.pid)) {
    if (ended) throw new Error(`${ended}:\n${fs.readFileSync(log, 'utf8').slice(logStart).slice(-2000)}`)
    if (Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`PostgreSQL was not ready within ${START_LIMIT_MS / 1000} s, see ${log}`)
    }
    await pause(15)
  }
  const urlOf = (database) => urlOfServer({ port, password, database })
  return { port, child, exited, urlOf, stop: () => stopChild(child, exited, () => ended) }
}

/**
 * The address of a database of an embedded server for its superuser.
 * @param {{ port: number, password: string, database: string }} parts
 */
export const urlOfServer = ({ port, password, database }) =>
  `postgresql://${SUPERUSER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`

async function stopChild(child, exited, ended) {
  if (ended()) return
  child.kill('SIGINT') // "fast": rolls back, checkpoints, leaves a clean directory.
  const patience = new AbortController()
  const late = pause(STOP_LIMIT_MS, 'late', { signal: patience.signal }).catch(() => '')
  if ((await Promise.race([exited, late])) === 'late') child.kill('SIGQUIT')
  patience.abort()
  await exited
}

function isReady(data, pid) {
  const lines = readPidFile(data)
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}
