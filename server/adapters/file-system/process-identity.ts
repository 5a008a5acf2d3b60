import { readFileSync, readlinkSync } from 'node:fs'

/**
 * Which process holds a lock file. A process id alone is not enough: it is used again after a restart, and it means
 * something else in another container. Where the system does not tell, the process id must do.
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

/** Start time in clock ticks since boot (field 22 of stat); the name in field 2 may hold spaces and brackets. */
const startOf = (pid: number): string =>
  quietly(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? '' : (fields[19] ?? '')
  })

const self: ProcessIdentity = { host, pid: process.pid, started: startOf(process.pid) }

/** This process. */
export const ownIdentity = (): ProcessIdentity => self

/** `true` and `false` are certain; `unknown` is another machine or container, of which nothing can be said. */
export function isAlive(who: ProcessIdentity): boolean | 'unknown' {
  if (who.host !== self.host) return 'unknown'
  try {
    process.kill(who.pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? who.started === startOf(who.pid) : false
  }
  return who.started === startOf(who.pid)
}
