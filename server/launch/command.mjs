/**
 * One command on a home (`npm run seed`, `backup`, `restore`, `rebuild`, `repair-garden`), under the product's own Node: what it opened is
 * stopped when it ends, fails, or is asked to stop meanwhile, and the process ends with it.
 */
import { endRunning } from './child.mjs'
import { onStopRequest } from './continue.mjs'
import { openInstance } from './instance.mjs'
import { printError } from './progress.mjs'

/**
 * Runs `work` to its end and exits: with its code, with 1 when it throws, with 130 when a signal came first.
 * @param {(open: typeof openInstance, stop: AbortSignal) => Promise<number | void>} work opens instances through `open`; after `stop`, what
 *   it starts is not waited for
 * @param {() => void} [onStop] what a signal leaves to be removed
 * @returns {Promise<never>}
 */
export async function runCommand(work, onStop = () => {}) {
  /** @type {import('./instance.mjs').Instance[]} */
  const opened = []
  const close = () => Promise.all(opened.map((instance) => instance.stop()))
  const stop = new AbortController()
  onStopRequest(async () => {
    stop.abort()
    await endRunning()
    await close()
    onStop()
    process.exit(130)
  })
  try {
    process.exitCode =
      (await work((options) => opened[opened.push(openInstance(options)) - 1], stop.signal)) ?? 0
  } catch (error) {
    printError(error)
    process.exitCode = 1
  } finally {
    await close()
  }
  // The channel to the starting process would keep this one alive.
  return process.exit()
}
