/**
 * What PostgreSQL does to a data directory that no server runs on: making it, statements of its superuser before anybody can reach it, and flushing
 * what was copied into it.
 */
import { spawn } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { prepareDataDirectory } from './data-directory.mjs'
import { asUnprivileged } from './unprivileged.mjs'

export const SUPERUSER = 'bloom'
const LOCALE = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '-E', 'UTF8']
/** By this a trigram index knows the letters of every script; with `C`, where a system does not have it, those of ASCII alone. */
const LETTERS = 'C.UTF-8'

/**
 * How a data directory is made, in a folder that does not exist yet.
 * @callback MakeCluster
 * @param {string} fresh
 * @param {{ binaries: string, password: string, flush: boolean }} options `password` is the superuser's; without `flush` it need not outlast a crash of the machine
 * @returns {Promise<void>}
 */

/**
 * Makes an empty one.
 * @type {MakeCluster}
 */
export async function initialise(fresh, { binaries, password, flush }) {
  const { real: data, place, options } = prepareDataDirectory(fresh)
  const passwordFile = path.join(data, '..', `.${crypto.randomUUID()}`)
  fs.writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  const { uid, gid } = asUnprivileged()
  if (uid !== undefined && gid !== undefined) fs.chownSync(passwordFile, uid, gid)
  const handle = fs.openSync(passwordFile, 'r')
  // Where the account cannot walk to the folder, it cannot walk to the file either, but it may open what it was handed.
  const pwfile = place === data ? passwordFile : '/proc/self/fd/3'
  const fixed = ['-D', place, '-U', SUPERUSER, '-A', 'scram-sha-256', '--pwfile', pwfile, ...LOCALE]
  const flags = flush ? fixed : [...fixed, '--no-sync']
  const make = (/** @type {string} */ letters) =>
    faultOf(
      spawn(path.join(binaries, 'initdb'), [...flags, `--lc-ctype=${letters}`], {
        ...options,
        stdio: ['ignore', 'ignore', 'pipe', handle],
      }),
    )
  try {
    const fault = (await make(LETTERS)) && (await make('C'))
    if (fault) throw new Error(`PostgreSQL could not be initialised in ${data}: ${fault}`)
  } finally {
    fs.closeSync(handle)
    fs.rmSync(passwordFile, { force: true })
  }
}

/**
 * Runs statements as the superuser by a server for one session, which listens nowhere. The first that fails ends it with an error.
 * @param {import('./data-directory.mjs').DataDirectory} data
 * @param {{ binaries: string, database: string, statements: readonly string[] }} work each statement on one line
 */
export async function runUnreachable({ real, place, options }, { binaries, database, statements }) {
  const args = ['--single', '-D', place, '-c', 'exit_on_error=on', database]
  const child = spawn(path.join(binaries, 'postgres'), args, {
    ...options,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  child.stdin?.on('error', () => {}) // What it says when it ends is the reason.
  child.stdin?.end(statements.map((statement) => `${statement}\n`).join(''))
  const fault = await faultOf(child)
  if (fault) throw new Error(`PostgreSQL could not be prepared in ${real}: ${fault}`)
}

/**
 * Flushes every file of it.
 * @param {import('./data-directory.mjs').DataDirectory} data
 * @param {string} binaries
 */
export async function flushCluster({ real, place, options }, binaries) {
  const child = spawn(path.join(binaries, 'initdb'), ['--sync-only', '-D', place], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const fault = await faultOf(child)
  if (fault) throw new Error(`PostgreSQL could not be flushed in ${real}: ${fault}`)
}

/** Why a program that has ended did not succeed; '' when it did. */
async function faultOf(child) {
  const ended = new Promise((resolve) => {
    child.once('error', (/** @type {Error} */ error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code === 0 ? '' : (signal ?? `exit code ${code}`)))
  })
  const said = await text(child.stderr)
  const fault = await ended
  return fault && (said.trim() || fault)
}
