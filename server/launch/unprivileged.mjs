/** Running as somebody who is not root: which account, and what that account can reach. */
import fs from 'node:fs'
import path from 'node:path'

/**
 * The account that programs which refuse root are spawned with: `nobody` under root, nothing to change otherwise.
 * @returns {{ uid?: number, gid?: number }}
 */
export function asUnprivileged() {
  if (process.getuid?.() !== 0) return {}
  const line = readPasswd().find((entry) => entry.startsWith('nobody:'))
  const [, , uid, gid] = line?.split(':') ?? []
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) }
}

function readPasswd() {
  try {
    return fs.readFileSync('/etc/passwd', 'utf8').split('\n')
  } catch {
    return []
  }
}

/**
 * Whether the unprivileged account may walk into this directory: every folder on the way is open to others.
 * Always true when nothing has to change its account.
 * @param {string} directory
 * @returns {boolean}
 */
export function isReachable(directory) {
  return asUnprivileged().uid === undefined || closedOnTheWay(directory) === null
}

/**
 * The folder nearest to this one, itself included, that is closed to accounts that do not own it; null when none is.
 * @param {string} directory
 * @returns {string | null}
 */
export function closedOnTheWay(directory) {
  let place = fs.realpathSync(directory)
  for (;;) {
    if (!(fs.statSync(place).mode & 0o001)) return place
    if (place === path.dirname(place)) return null
    place = path.dirname(place)
  }
}
