/**
 * The packages of package-lock.json, installed when they are not: plain Node ≥ 20 without dependencies.
 *
 * What is installed is read from npm's own record in node_modules, which npm writes last: an install that was
 * interrupted, or a lock that changed, is seen. Packages for other platforms may be absent. Scripts of packages are
 * never run.
 */
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './checkout.mjs'
import { mustRun } from './child.mjs'
import { withLock } from './lock.mjs'
import { LaunchFault, logStep } from './progress.mjs'

const WANTED_NODE = 24

/** Installs what the lock names if it is not there; two starts at once install one after the other. */
export async function ensureInstalled() {
  if (isInstalled()) return
  await withLock(path.join(ROOT, '.cache/install.lock'), async () => {
    if (!isInstalled()) await logStep('Installing packages', install)
  })
}

function isInstalled() {
  const wanted = readPackages('package-lock.json')
  const present = readPackages('node_modules/.package-lock.json')
  return Object.entries(wanted).every(
    ([place, { version, optional, devOptional }]) =>
      place === '' ||
      present[place]?.version === version ||
      (!(place in present) && (optional || devOptional)),
  )
}

function readPackages(file) {
  try {
    return JSON.parse(fs.readFileSync(path.join(ROOT, file), 'utf8')).packages
  } catch (error) {
    if (error.code === 'ENOENT' && file.startsWith('node_modules')) return {}
    throw error
  }
}

function install() {
  // The build needs the development packages even where the machine says NODE_ENV=production.
  const args = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund']
  const script = process.env.npm_execpath
  if (script?.endsWith('.js')) return mustRun('npm ci', process.execPath, [script, ...args])
  return mustRun('npm ci', 'npm', args, { shell: process.platform === 'win32' })
}

/**
 * The Node that runs the product: the one among the packages, or the running one if it is new enough.
 * @returns {string} the path of its executable
 */
export function findNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node'
  const packaged = path.join(ROOT, 'node_modules', `node-${platform}-${process.arch}`, name)
  if (fs.existsSync(packaged)) return packaged
  if (Number.parseInt(process.versions.node, 10) >= WANTED_NODE) return process.execPath
  throw new LaunchFault(
    `Node ${WANTED_NODE} or newer is needed and no package brings it for ${platform}-${process.arch}: install it and start again (this is ${process.version}).`,
  )
}
