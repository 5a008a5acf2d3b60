/** Waiting for the web process. */
import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { LaunchFault } from './progress.mjs'

const LIMIT_MS = 180_000
const ANSWER_MS = 10_000

/**
 * Settles when the address answers 200, or when `givenUp` says that nobody waits any more.
 * @param {string} address
 * @param {() => boolean} givenUp
 * @param {() => void} [onAnswer] is called by each answer, also by one of another status
 */
export async function untilHealthy(address, givenUp, onAnswer) {
  const deadline = Date.now() + LIMIT_MS
  let last = 'no answer'
  while (!givenUp()) {
    try {
      const { status, body } = await ask(address)
      onAnswer?.()
      if (status === 200) return
      last = `status ${status}: ${body.slice(0, 500)}`
    } catch (error) {
      last = error.code ?? error.message
    }
    if (Date.now() > deadline)
      throw new LaunchFault(`The console did not become healthy at ${address} (${last}).`)
    await pause(40)
  }
}

/**
 * Asks once, as soon as somebody listens, and has no use for the answer: what answers is loaded then.
 * @param {string} address
 * @param {() => boolean} givenUp
 */
export async function warmUp(address, givenUp) {
  while (!givenUp()) {
    const fault = await ask(address).then(
      () => null,
      ({ code }) => code,
    )
    if (fault !== 'ECONNREFUSED') return
    await pause(40)
  }
}

/** By the plain client: `fetch` would stay in memory as long as the product runs. */
function ask(address) {
  return new Promise((resolve, reject) => {
    const request = http.get(address, { timeout: ANSWER_MS, agent: false }, (answer) => {
      let body = ''
      answer
        .setEncoding('utf8')
        .on('data', (part) => {
          body += part
        })
        .on('end', () => resolve({ status: answer.statusCode, body }))
        .on('error', reject)
    })
    request.on('timeout', () => request.destroy(new Error(`no answer within ${ANSWER_MS / 1000} s`)))
    request.on('error', reject)
  })
}
