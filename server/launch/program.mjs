/**
 * One long-running program of the product: started, watched, restarted after a crash, stopped.
 *
 * Each runs in a session of its own, so that Ctrl-C in the terminal reaches the launcher alone, which then stops them in
 * order. Everything a program prints goes to its log file (log-file.mjs); the terminal shows warnings, errors and plain lines.
 * A program that ends unasked is started again after 1, 2, 4 … 30 s, and counts as healthy after a minute.
 */
import { spawn } from 'node:child_process'
import path from 'node:path'
import readline from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { ROOT } from './checkout.mjs'
import { openLog } from './log-file.mjs'
import { signalIfAlive } from './process-identity.mjs'
import { say } from './progress.mjs'

/** What lets a program end with this process, however early that is killed. */
const FOLLOW = import.meta.resolve('./follow-launcher.mjs')
/** What gives back what its start has taken. */
const COLLECT = import.meta.resolve('./collect-once.mjs')
const MAX_PAUSE_MS = 30_000
const HEALTHY_AFTER_MS = 60_000
/** Of the column before each line on the terminal. */
const NAME_WIDTH = 9
/** Levels of structured lines that a person at the terminal has no use for, as pino names and numbers them. */
const SILENT_LEVELS = ['TRACE', 'DEBUG', 'INFO', 10, 20, 30]

/**
 * @typedef {object} ProgramPlan
 * @property {string} name at most nine characters, before each of its lines
 * @property {string[]} args of Node
 * @property {NodeJS.ProcessEnv} env
 * @property {Promise<NodeJS.ProcessEnv>} [later] what takes its place: a program that is started before that is known gets it by its input
 * @property {number} [graceMs] how long it may take to stop before it is killed (15 s by default)
 * @property {RegExp} [quiet] plain lines that say nothing to the reader
 */

/**
 * @typedef {object} Program
 * @property {string} name
 * @property {() => number | undefined} pid of the process that runs now
 * @property {(change: (env: NodeJS.ProcessEnv) => NodeJS.ProcessEnv) => void} changeEnv starts it again under another environment
 * @property {() => Promise<void>} stop asks, waits, and kills what does not listen; settles when the process is gone
 */

/**
 * Starts a program and keeps it running until it is stopped.
 * @param {ProgramPlan} plan
 * @param {{ logs: string, onChange: () => void, firstPauseMs?: number }} surroundings `onChange` is called when its process id changes
 * @returns {Program}
 */
export function keepRunning(plan, { logs, onChange, firstPauseMs = 1000 }) {
  let { env } = plan
  let isWhole = !plan.later
  let changed = false
  const log = openLog(path.join(logs, `${plan.name}.log`))
  const leaving = new AbortController()
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child
  plan.later?.then(
    (known) => {
      env = known
      isWhole = true
      child?.stdin?.end(JSON.stringify(known))
    },
    () => child?.stdin?.end(),
  )
  const done = (async () => {
    let waitMs = firstPauseMs
    while (!leaving.signal.aborted) {
      const begun = Date.now()
      child = launch({ ...plan, env, isWhole }, log)
      const ended = endOf(child)
      onChange()
      const reason = await ended
      child = undefined
      onChange()
      if (leaving.signal.aborted) break
      if (changed) {
        changed = false
        continue
      }
      if (Date.now() - begun > HEALTHY_AFTER_MS) waitMs = firstPauseMs
      say(
        `${plan.name} ended unexpectedly (${reason}); it is started again in ${waitMs / 1000} s (log: ${log.file})`,
      )
      await pause(waitMs, undefined, { signal: leaving.signal }).catch(() => {})
      waitMs = Math.min(waitMs * 2, MAX_PAUSE_MS)
    }
    log.close()
  })()
  const end = (/** @type {Promise<unknown>} */ ended) => {
    const asked = child
    endGroup(asked, 'SIGTERM')
    const late = setTimeout(() => endGroup(asked, 'SIGKILL'), plan.graceMs ?? 15_000)
    return ended.finally(() => clearTimeout(late))
  }
  const changeEnv = (/** @type {(env: NodeJS.ProcessEnv) => NodeJS.ProcessEnv} */ change) => {
    const next = change(env)
    if (next === env) return
    env = next
    if (!child) return
    changed = true
    say(`${plan.name} is started again, since the database has another address`)
    void end(endOf(child))
  }
  const stop = async () => {
    leaving.abort()
    await end(done)
  }
  return { name: plan.name, pid: () => child?.pid, changeEnv, stop }
}

function launch(plan, log) {
  const child = spawn(process.execPath, ['--import', FOLLOW, '--import', COLLECT, ...plan.args], {
    cwd: ROOT,
    env: {
      ...plan.env,
      BLOOM_LAUNCHER: String(process.pid),
      ...(plan.isWhole ? {} : { BLOOM_ENV_BY_INPUT: '1' }),
    },
    detached: true,
    stdio: [plan.isWhole ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  // One that ended meanwhile reads no more.
  child.stdin?.on('error', () => {})
  for (const stream of [child.stdout, child.stderr]) {
    readline.createInterface({ input: stream }).on('line', (line) => {
      log.write(line)
      const text = forTerminal(line, plan.quiet)
      if (text) say(`${plan.name.padEnd(NAME_WIDTH)}│ ${text}`)
    })
  }
  return child
}

/** Settles when the process is gone and its last lines are read. */
function endOf(child) {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    // What it started itself must not outlive it, nor keep its output open.
    child.once('exit', () => endGroup(child, 'SIGKILL'))
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
}

function endGroup(child, signal) {
  if (!child?.pid) return
  if (process.platform === 'win32') child.kill(signal)
  else signalIfAlive(-child.pid, signal)
}

/**
 * What of a line belongs on the terminal: structured lines from warnings up as their message, plain lines as they are.
 * @param {string} line
 * @param {RegExp} [quiet]
 * @returns {string} '' for none
 */
export function forTerminal(line, quiet) {
  if (!line.trim() || quiet?.test(line)) return ''
  if (!line.startsWith('{')) return line
  try {
    const { level, msg, err, method, route, status } = JSON.parse(line)
    if (level === undefined) return line
    if (SILENT_LEVELS.includes(level)) return ''
    return [msg, err?.message, route && `${method} ${route}, status ${status}`].filter(Boolean).join(': ')
  } catch {
    return line
  }
}
