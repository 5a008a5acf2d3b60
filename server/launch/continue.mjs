/**
 * Goes on under the product's own Node: `npm start` and `npm test` may be begun by any Node ≥ 20.
 *
 * A signal to this process is passed on as a message; the program under the other Node also ends when this process
 * is killed outright, since its channel closes then.
 */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './checkout.mjs'
import { endRunning } from './child.mjs'
import { ensureInstalled, findNode } from './install.mjs'
import { printError, startedAt } from './progress.mjs'

/**
 * What Node keeps of the modules that it has compiled, for every process that is started from here: half the processor time of
 * their imports. It is kept by version of Node and by each file's content, and left out where the folder cannot be written.
 */
const COMPILED = path.join(ROOT, '.cache/node')

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])

/**
 * Installs the packages and runs `program` under the product's Node with this process's arguments; ends with its code.
 * @param {string} program a file of this folder
 * @param {string[]} [first] arguments before those of this process
 */
export async function continueUnderOwnNode(program, first = []) {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child
  const stop = () => {
    if (!child) return endRunning().then(() => process.exit(130))
    if (child.connected) child.send('stop')
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  watchParent(stop)
  try {
    await ensureInstalled()
    child = launch(findNode(), [program, ...first])
    child.once('exit', (code) => process.exit(code ?? 1))
    child.once('error', fail)
  } catch (error) {
    fail(error)
  }
}

function fail(error) {
  printError(error)
  process.exit(1)
}

function launch(node, [program, ...first]) {
  return spawn(node, [path.join(ROOT, 'server/launch', program), ...first, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: {
      NODE_COMPILE_CACHE: COMPILED,
      ...process.env,
      BLOOM_STARTED_AT: startedAt,
      PATH: pathWith(node),
    },
  })
}

/** Programs that are started by name from here on meet the same Node. */
function pathWith(node) {
  return `${path.dirname(fs.realpathSync(node))}${path.delimiter}${process.env.PATH ?? ''}`
}

/** npm that is killed does not always tell its script: then the parent's id changes. */
function watchParent(stop) {
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) stop()
  }, 500).unref()
}

/**
 * Calls `stop` once, when a signal arrives, when the starting process says so, or when that process is gone.
 * @param {() => void} stop
 */
export function onStopRequest(stop) {
  let asked = false
  const once = () => {
    if (asked) return
    asked = true
    stop()
  }
  for (const signal of SIGNALS) process.on(signal, once)
  process.on('message', (message) => {
    if (message === 'stop') once()
  })
  process.on('disconnect', once)
}
