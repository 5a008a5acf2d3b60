/** Waiting for the web process. */
import { setTimeout as pause } from 'node:timers/promises'
import { LaunchFault } from './progress.mjs'

const LIMIT_MS = 180_000

/**
 * Settles when the address answers 200, or when `givenUp` says that nobody waits any more.
 * @param {string} address
 * @param {() => boolean} givenUp
 */
export async function untilHealthy(address, givenUp) {
  const deadline = Date.now() + LIMIT_MS
  let last = 'no answer'
  while (!givenUp()) {
    try {
      const answer = await fetch(address, { signal: AbortSignal.timeout(10_000) })
      const body = await answer.text()
      if (answer.status === 200) return
      last = `status ${answer.status}: ${body.slice(0, 500)}`
    } catch (error) {
      last = error.cause?.code ?? error.message
    }
    if (Date.now() > deadline)
      throw new LaunchFault(`The console did not become healthy at ${address} (${last}).`)
    await pause(40)
  }
}
