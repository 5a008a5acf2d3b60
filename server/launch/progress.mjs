/** What the person at the terminal reads: one line a step, each with the seconds since the start. */

const started = Number(process.env.BLOOM_STARTED_AT ?? Date.now())

const stamp = () => `${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  `

/** When this start began, for the program that continues it under another Node. */
export const startedAt = String(started)

/**
 * Prints one step.
 * @param {string} text
 */
export function say(text) {
  process.stdout.write(`${stamp()}${text}\n`)
}

/**
 * Prints a step that takes a while, and again every few seconds until it has ended.
 * @template T
 * @param {string} text
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function logStep(text, work) {
  say(`${text} …`)
  const ticker = setInterval(() => say(`${text} … still at it`), 10_000)
  try {
    return await work()
  } finally {
    clearInterval(ticker)
  }
}

/** An error whose message is all that the person needs: no stack is shown. */
export class LaunchFault extends Error {}

/**
 * Prints why the start ended. Faults that name their own remedy are shown without a stack.
 * @param {unknown} error
 */
export function printError(error) {
  const plain = error instanceof LaunchFault || (error instanceof Error && error.name === 'EnvFault')
  const text = plain ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`\n${text}\n`)
}
