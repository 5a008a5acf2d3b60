/**
 * One running Garden Bloom: PostgreSQL, the programs on top of it, and their end.
 *
 * Order: the server first and the programs in the order of the list; the end goes backwards, PostgreSQL last, whether
 * the start got all the way or not. A PostgreSQL that crashed is started again on its port, and the programs reconnect; on
 * another port, and they are started again with that address (postgres-supervisor.mjs).
 * One instance a home: a lock names the process that has it.
 */
import fs from 'node:fs'
import path from 'node:path'
import { ensureHome } from './data-directory.mjs'
import { tryLock } from './lock.mjs'
import { keepPostgres, withPort } from './postgres-supervisor.mjs'
import { keepRunning } from './program.mjs'
import { LaunchFault } from './progress.mjs'
import { startWatchdog } from './watchdog.mjs'

/** The folder of a home in which a restore puts everything until it is whole. */
export const RESTORING = 'restoring'

/**
 * @typedef {object} Instance
 * @property {(password: string, make?: import('./initialise.mjs').MakeCluster) => Promise<import('./postgres.mjs').PostgresServer>} startPostgres `make` as for startPostgres in postgres.mjs
 * @property {(plan: import('./program.mjs').ProgramPlan) => void} add starts a program
 * @property {() => Promise<void>} stop ends everything backwards; may be called at any time and more than once
 */

/**
 * Takes the home for this process.
 * @param {{ home: string, avoid?: readonly number[], firstPauseMs?: number }} options `avoid` are ports that the programs will want; `firstPauseMs` is the first pause before a crashed program is restarted
 * @returns {Instance}
 */
export function openInstance({ home, avoid, firstPauseMs }) {
  const release = takeHome(home)
  const watchdog = startWatchdog()
  const logs = path.join(home, 'logs')
  /** @type {import('./program.mjs').Program[]} */
  const programs = []
  /** @type {import('./postgres-supervisor.mjs').PostgresSupervisor | undefined} */
  let postgres
  /** @type {{ from: number, to: number }[]} */
  const moves = []
  let serverPid
  let stopping

  const updateWatchdog = () => {
    const pids = programs.map((program) => program.pid()).filter((pid) => pid !== undefined)
    if (!stopping) watchdog.watch(serverPid, pids)
  }

  const onStarted = (/** @type {number | undefined} */ pid) => {
    serverPid = pid
    updateWatchdog()
  }
  const onMoved = (/** @type {number} */ from, /** @type {number} */ to) => {
    moves.push({ from, to })
    for (const program of programs) program.changeEnv((env) => withPort(env, from, to))
  }

  const stopAll = async () => {
    for (const program of [...programs].reverse()) await program.stop()
    // A server that is still starting is waited for: it must not outlive the launcher.
    await postgres?.stop()
    watchdog.end()
    release()
  }

  return {
    startPostgres: (password, make) => {
      const logFile = path.join(logs, 'postgres.log')
      const options = { directory: path.join(home, 'postgres'), password, avoid, logFile, make }
      postgres = keepPostgres(options, { onStarted, onMoved, firstPauseMs })
      return postgres.first
    },
    add: (plan) => {
      if (stopping) return
      const moved = (/** @type {NodeJS.ProcessEnv} */ env) =>
        moves.reduce((before, { from, to }) => withPort(before, from, to), env)
      const given = { ...plan, env: moved(plan.env), later: plan.later?.then(moved) }
      programs.push(keepRunning(given, { logs, onChange: updateWatchdog, firstPauseMs }))
      updateWatchdog()
    },
    stop: () => {
      stopping ??= stopAll()
      return stopping
    },
  }
}

/** A lock without a name yet is that of a start that is just being made, or that was killed at that moment. */
function takeHome(home) {
  ensureHome(home)
  const file = path.join(home, 'instance.lock')
  let lock = tryLock(file)
  while (lock === 0) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    lock = tryLock(file)
  }
  if (typeof lock === 'function') {
    if (!fs.existsSync(path.join(home, RESTORING))) return lock
    lock()
    throw new LaunchFault(`A restore into ${home} was not completed. Run it again: npm run restore -- <file>`)
  }
  throw new LaunchFault(
    `A Garden Bloom already runs in ${home} (process ${lock}). Stop it first, or start another one beside it:\n\n    PORT=3001 BLOOM_HOME=.bloom-3001 npm start\n`,
  )
}
