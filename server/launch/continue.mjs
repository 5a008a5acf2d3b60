/**
 * Goes on under the product's own Node: `npm start` and `npm test` may be begun by any Node ≥ 20.
 *
 * npm finds the Node of the packages first, so once they are installed this process is of that Node already, and the program goes on in
 * it: one process less that waits for as long as the product runs. Otherwise it goes on under the other Node: a signal to this
 * process is passed on as a message then; the program also ends when this process is killed outright, since its channel closes.
 */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import module from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
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
 * Installs the packages and runs `program` under the product's Node with this process's arguments; the process ends with its code.
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
  const unwatch = watchParent(stop)
  try {
    await ensureInstalled()
    const node = findNode()
    if (isThisNode(node)) {
      for (const signal of SIGNALS) process.off(signal, stop)
      unwatch()
      return await goOnHere(node, [program, ...first])
    }
    child = launch(node, [program, ...first])
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

const isThisNode = (node) => fs.realpathSync(node) === fs.realpathSync(process.execPath)

/** As if Node had been called with the program: its file and arguments, its environment, and what was compiled before. */
async function goOnHere(node, line) {
  const [file, ...args] = argumentsOf(line)
  process.argv.splice(1, Number.POSITIVE_INFINITY, file, ...args)
  Object.assign(process.env, surroundings(node))
  module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE)
  await import(pathToFileURL(file).href)
}

const launch = (node, line) =>
  spawn(node, [...process.execArgv, ...argumentsOf(line)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...surroundings(node) },
  })

/** The program's file, its first arguments, and those of this process. */
const argumentsOf = ([program, ...first]) => [
  path.join(ROOT, 'server/launch', program),
  ...first,
  ...process.argv.slice(2),
]

const surroundings = (node) => ({
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? COMPILED,
  BLOOM_STARTED_AT: startedAt,
  PATH: pathWith(node),
})

/** Programs that are started by name from here on meet the same Node. */
function pathWith(node) {
  return `${path.dirname(fs.realpathSync(node))}${path.delimiter}${process.env.PATH ?? ''}`
}

/** npm that is killed does not always tell its script: then the parent's id changes. Gives the way to look no more. */
function watchParent(stop) {
  if (!process.env.npm_lifecycle_event) return () => {}
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid !== parent) stop()
  }, 500).unref()
  return () => clearInterval(timer)
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
  if (!process.connected) watchParent(once)
}
