/**
 * One running Garden Bloom: PostgreSQL, the programs on top of it, and their end.
 *
 * Order: the server first and the programs in the order of the list; the end goes backwards, PostgreSQL last, whether
 * the start got all the way or not. A PostgreSQL that crashed is started again on its port; the programs reconnect.
 * One instance a home: a lock names the process that has it.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { tryLock } from './lock.mjs'
import { startPostgres } from './postgres.mjs'
import { keepRunning } from './program.mjs'
import { LaunchFault, say } from './progress.mjs'
import { startWatchdog } from './watchdog.mjs'

/** The folder of a home in which a restore puts everything until it is whole. */
export const RESTORING = 'restoring'

const POSTGRES_RESTART_PAUSE_MS = 1000

/**
 * @typedef {object} Instance
 * @property {(password: string) => Promise<import('./postgres.mjs').PostgresServer>} startPostgres
 * @property {(plan: import('./program.mjs').ProgramPlan) => void} add starts a program
 * @property {() => Promise<void>} stop ends everything backwards; may be called at any time and more than once
 */

/**
 * Takes the home for this process.
 * @param {{ home: string, firstPauseMs?: number }} options `firstPauseMs` is the first pause before a crashed program is restarted
 * @returns {Instance}
 */
export function openInstance({ home, firstPauseMs }) {
  const release = takeHome(home)
  const watchdog = startWatchdog()
  const logs = path.join(home, 'logs')
  /** @type {import('./program.mjs').Program[]} */
  const programs = []
  /** @type {Promise<import('./postgres.mjs').PostgresServer> | undefined} */
  let postgres
  let serverPid
  let stopping

  const updateWatchdog = () => {
    const pids = programs.map((program) => program.pid()).filter((pid) => pid !== undefined)
    if (!stopping) watchdog.watch(serverPid, pids)
  }

  const launchPostgres = async (options) => {
    const server = await startPostgres(options)
    serverPid = server.child.pid
    updateWatchdog()
    server.exited.then(async (reason) => {
      if (stopping) return
      say(`${reason}; it is started again on port ${server.port}`)
      await pause(POSTGRES_RESTART_PAUSE_MS)
      if (stopping) return
      postgres = launchPostgres({ ...options, port: server.port })
      postgres.catch((error) => say(`PostgreSQL did not come back: ${error.message}`))
    })
    return server
  }

  const stopAll = async () => {
    for (const program of [...programs].reverse()) await program.stop()
    // A server that is still starting is waited for: it must not outlive the launcher.
    const server = await postgres?.catch(() => undefined)
    await server?.stop()
    watchdog.end()
    release()
  }

  return {
    startPostgres: (password) => {
      const logFile = path.join(logs, 'postgres.log')
      postgres = launchPostgres({ directory: path.join(home, 'postgres'), password, logFile })
      return postgres
    },
    add: (plan) => {
      if (stopping) return
      programs.push(keepRunning(plan, { logs, onChange: updateWatchdog, firstPauseMs }))
      updateWatchdog()
    },
    stop: () => {
      stopping ??= stopAll()
      return stopping
    },
  }
}

function takeHome(home) {
  const lock = tryLock(path.join(home, 'instance.lock'))
  if (typeof lock === 'function') {
    if (!fs.existsSync(path.join(home, RESTORING))) return lock
    lock()
    throw new LaunchFault(`A restore into ${home} was not completed. Run it again: npm run restore -- <file>`)
  }
  throw new LaunchFault(
    `A Garden Bloom already runs in ${home} (process ${lock}). Stop it first, or start another one beside it:\n\n    PORT=3001 BLOOM_HOME=.bloom-3001 npm start\n`,
  )
}
