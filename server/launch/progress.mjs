/** What the person at the terminal reads: one line a step, each with the seconds since the start. */

const started = Number(process.env.BLOOM_STARTED_AT ?? Date.now())

const stamp = () => `${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  `

/** When this start began, for the program that continues it under another Node. */
export const startedAt = String(started)

// A terminal that is gone, or a file on a full disk, ends nothing: what is said there is lost.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

/**
 * Prints as it is; what cannot be printed is lost.
 * @param {string} text
 * @param {NodeJS.WriteStream} [stream]
 */
export function print(text, stream = process.stdout) {
  try {
    stream.write(text)
  } catch {
    // A file is written at once, and throws at once.
  }
}

/**
 * Prints one step.
 * @param {string} text
 */
export function say(text) {
  print(`${stamp()}${text}\n`)
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
  print(`\n${text}\n`, process.stderr)
}
