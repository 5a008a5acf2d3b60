import fs from 'node:fs'
import path from 'node:path'
import { isAlive, type ProcessIdentity } from '#server/adapters/file-system/process-identity.ts'
import type { Host } from '../host.ts'

/** Whether a push or pull of this account runs, by the locks that they hold; one that was killed left a lock and does not run. */
export function isSyncRunning({ home }: Pick<Host, 'home'>): boolean {
  const folder = path.join(home, '.membridge/locks')
  try {
    const locks = fs.readdirSync(folder).filter((name) => name.endsWith('.lock'))
    return locks.some((name) => isLocked(path.join(folder, name)))
  } catch {
    return false
  }
}

function isLocked(lock: string): boolean {
  try {
    return isAlive(JSON.parse(fs.readFileSync(lock, 'utf8')) as ProcessIdentity) !== false
  } catch {
    return false
  }
}
