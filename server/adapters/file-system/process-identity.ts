import { readFileSync, readlinkSync } from 'node:fs'
import { isAlive as isProcessAlive, startOf } from '#server/launch/process-identity.mjs'

/**
 * Which process holds a lock file. A process id alone is not enough: it is used again after a restart, and it means
 * something else in another container. Where the system does not say, the process id must do.
 */
export type ProcessIdentity = { host: string; pid: number; started: string }

const quietly = (read: () => string): string => {
  try {
    return read()
  } catch {
    return ''
  }
}

/** The boot and the process-id space this process lives in; the same text means the same meaning of a process id. */
const host = `${quietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())}/${quietly(() => readlinkSync('/proc/self/ns/pid'))}`

const self: ProcessIdentity = { host, pid: process.pid, started: startOf(process.pid) }

/** This process. */
export const ownIdentity = (): ProcessIdentity => self

/** `true` and `false` are certain; `unknown` is another machine or container, of which nothing can be said. */
export function isAlive(who: ProcessIdentity): boolean | 'unknown' {
  if (who.host !== self.host) return 'unknown'
  return isProcessAlive(who.pid) && who.started === startOf(who.pid)
}
