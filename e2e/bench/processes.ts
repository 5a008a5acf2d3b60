/** What processes use, as Linux tells it under /proc; elsewhere there are none. A process that has ended meanwhile is left out. */
import fs from 'node:fs'

/** Of the clock of /proc/stat; the same on every Linux. */
const TICKS_PER_SECOND = 100

const read = (file: string): string => {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

export const hasProc = fs.existsSync('/proc/self/smaps_rollup')

/** The fields of /proc/<pid>/stat after the name in parentheses: the first is the state. */
const statOf = (pid: number): string[] =>
  read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')

export type Process = { pid: number; parent: number; command: string }

export function allProcesses(): Process[] {
  if (!hasProc) return []
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).flatMap((pid) => {
    const parent = Number(statOf(pid)[1])
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
    return command ? [{ pid, parent, command }] : []
  })
}

/** Every process below this one. */
export function descendantsOf(pid: number, all = allProcesses()): Process[] {
  const children = all.filter(({ parent }) => parent === pid)
  return children.flatMap((child) => [child, ...descendantsOf(child.pid, all)])
}

export type Memory = { rss: number; pss: number }

/** Megabytes: resident, and with what is shared divided among those who share it. */
export function memoryOf(pid: number): Memory {
  const text = read(`/proc/${pid}/smaps_rollup`)
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1_024
  return { rss: of('Rss'), pss: of('Pss') }
}

/** Seconds on a processor, with those of its children that have ended. */
export function processorSeconds(pid: number): number {
  const [user = 0, system = 0, ofChildren = 0, systemOfChildren = 0] = statOf(pid).slice(11, 15).map(Number)
  return (user + system + ofChildren + systemOfChildren) / TICKS_PER_SECOND
}

/** Seconds that all processors together have been at work and idle since the machine started. */
export function machineSeconds(): { busy: number; idle: number } {
  const [line = ''] = read('/proc/stat').split('\n')
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softIrq = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  const busy = user + nice + system + irq + softIrq + stolen
  return { busy: busy / TICKS_PER_SECOND, idle: (idle + waiting) / TICKS_PER_SECOND }
}
