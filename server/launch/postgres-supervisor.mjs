/**
 * Keeps the embedded PostgreSQL running: one that ends unasked is started again for as long as the product runs.
 *
 * The pauses between attempts grow from one second to thirty, so a full disk or a broken machine is not hammered, and the
 * server comes back by itself once what stood in its way is gone. It gets its own port again; where somebody else has that by
 * now, it gets a free one, and `onMoved` learns it, since the programs have the address in their environment.
 *
 * How it fails: it does not give up. Each attempt and its reason are said at the terminal; the ledger's health follows.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { startPostgres } from './postgres.mjs'
import { say } from './progress.mjs'

const MAX_PAUSE_MS = 30_000

/**
 * @typedef {object} PostgresSupervisor
 * @property {Promise<import('./postgres.mjs').PostgresServer>} first the first start, which fails as it fails
 * @property {() => Promise<void>} stop ends the server that runs now or is starting, and starts no other
 */

/**
 * Starts the server and brings it back whenever it ends.
 * @param {Parameters<typeof startPostgres>[0]} options
 * @param {{ onStarted: (pid: number | undefined) => void, onMoved: (from: number, to: number) => void, firstPauseMs?: number }} surroundings
 * @returns {PostgresSupervisor}
 */
export function keepPostgres(options, { onStarted, onMoved, firstPauseMs = 1000 }) {
  const leaving = new AbortController()
  const { signal } = leaving
  /** @type {import('./postgres.mjs').PostgresServer | undefined} */
  let server
  const first = startPostgres(options)

  const watch = async (/** @type {import('./postgres.mjs').PostgresServer} */ started) => {
    server = started
    onStarted(server.child.pid)
    while (!signal.aborted) {
      const reason = await server.exited
      const { port } = server
      const next = await restart({ ...options, port }, { reason, firstPauseMs, signal })
      if (!next) return
      server = next
      onStarted(server.child.pid)
      if (server.port !== port) onMoved(port, server.port)
    }
  }
  const done = first.then(watch, () => {})

  return {
    first,
    stop: async () => {
      leaving.abort()
      await first.catch(() => {})
      await server?.stop()
      await done
      await server?.stop()
    },
  }
}

/** The server that runs again; nothing when it is to run no more. */
async function restart(options, { reason, firstPauseMs, signal }) {
  let why = reason
  for (let waitMs = firstPauseMs; ; waitMs = Math.min(waitMs * 2, MAX_PAUSE_MS)) {
    if (signal.aborted) return undefined
    say(`${why}; it is started again in ${waitMs / 1000} s`)
    await pause(waitMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return undefined
    try {
      return await startAnywhere(options)
    } catch (error) {
      why = `PostgreSQL did not come back (${lastLine(error)})`
    }
  }
}

async function startAnywhere(options) {
  try {
    return await startPostgres(options)
  } catch (error) {
    if (!/could not bind/.test(error.message)) throw error
    say(`Port ${options.port} was taken meanwhile: PostgreSQL gets another one`)
    return await startPostgres({ ...options, port: undefined })
  }
}

/** What the server said last before it gave up. */
function lastLine(error) {
  const lines = error.message.trim().split('\n')
  return (lines.findLast((line) => /FATAL|PANIC|No space left/.test(line)) ?? lines.at(-1)).trim()
}

/**
 * The same environment with the ledger's address on another port of this machine; anything else stays.
 * @param {NodeJS.ProcessEnv} env
 * @param {number} from
 * @param {number} to
 * @returns {NodeJS.ProcessEnv}
 */
export function withPort(env, from, to) {
  if (!env.DATABASE_URL) return env
  const address = new URL(env.DATABASE_URL)
  if (address.hostname !== '127.0.0.1' || address.port !== String(from)) return env
  address.port = String(to)
  return { ...env, DATABASE_URL: address.toString() }
}
