/**
 * Runs a program on the ledger of a home that another process runs, and again whenever that ledger has moved: an embedded PostgreSQL whose port was
 * taken while it was away comes back on a free one (postgres-supervisor.mjs), and what was given the old address would never find it.
 *
 * How it fails: while no server runs the program goes on and waits for it, as it does when a ledger goes away.
 */
import fs from 'node:fs'
import path from 'node:path'
import { endRunning, runToEnd } from './child.mjs'
import { serverOf } from './data-directory.mjs'
import { withPort } from './postgres-supervisor.mjs'
import { say } from './progress.mjs'

const LOOK_MS = 1_000

/**
 * The program's code, once it ends by itself or because it was asked to; after `stop` it is not started again.
 * @param {string[]} args of Node
 * @param {NodeJS.ProcessEnv} env with the address of the ledger
 * @param {{ home: string, lookMs?: number, stop?: AbortSignal }} options
 * @returns {Promise<number>}
 */
export async function runOnLedger(args, env, { home, lookMs = LOOK_MS, stop }) {
  for (let known = env; ; ) {
    const moved = new AbortController()
    const looking = setInterval(() => {
      if (moved.signal.aborted || addressNow(known, home) === known) return
      moved.abort()
      void endRunning()
    }, lookMs)
    const { code } = await runToEnd(process.execPath, args, { env: known, show: true })
    clearInterval(looking)
    if (!moved.signal.aborted || stop?.aborted) return code
    known = addressNow(known, home)
    say('The database has another address: the worker is started again')
  }
}

/** The same environment while the home's server is where it was, or is away; an address elsewhere is not followed. */
function addressNow(env, home) {
  const data = path.join(home, 'postgres')
  const server = fs.existsSync(data) ? serverOf(fs.realpathSync(data)) : null
  if (!server?.port || !env.DATABASE_URL) return env
  const from = Number(new URL(env.DATABASE_URL).port)
  return from === server.port ? env : withPort(env, from, server.port)
}
