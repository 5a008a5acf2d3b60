import fs from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { NodeHealth } from '#contracts/node-agent.contract.ts'
import type { Host } from '../host.ts'

/** What a node tells of its machine [edge#agent]. */
export function osInfo(host: Pick<Host, 'name' | 'machine'>): string {
  const release = readQuietly('/etc/os-release')
  const name = /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(release)?.[1]
  return `${host.name} / ${name || `${process.platform} ${host.machine}`}`
}

export function initSystem(): NodeHealth['init_system'] {
  if (fs.existsSync('/run/systemd/system')) return 'systemd'
  return fs.existsSync('/run/openrc') || fs.existsSync('/sbin/openrc') ? 'openrc' : 'unknown'
}

/** Programs that start what they run again when it ends with a fault; the system shows 15 characters of a name. */
const SUPERVISORS = ['systemd', 'supervise-daemo', 's6-supervise', 'runsv']

/** Whether the process that started this one would start it again. */
export const isSupervised = (): boolean =>
  SUPERVISORS.includes(readQuietly(`/proc/${process.ppid}/comm`).trim())

const GIB = 1024 ** 3
const tenths = (value: number): number => Math.round(value * 10) / 10

/** The disk on which a folder lies; null when the system does not say. */
export async function diskOf(folder: string): Promise<NodeHealth['disk']> {
  const disk = await statfs(folder).catch(() => null)
  if (!disk || disk.blocks === 0) return null
  const [total, free] = [disk.blocks * disk.bsize, disk.bavail * disk.bsize]
  const used = (disk.blocks - disk.bfree) / disk.blocks
  return { total_gb: tenths(total / GIB), free_gb: tenths(free / GIB), used_pct: tenths(used * 100) }
}

/** An address without what it may carry of secrets. */
export function placeOf(address: string): string {
  const { protocol, host, pathname } = new URL(address)
  return `${protocol}//${host}${pathname}`.replace(/\/+$/, '')
}

const TAIL_BYTES = 4_096
const MAX_LINE = 500

/** The end of the last line of a file that is appended to, masked before it is cut; null when there is none. */
export function lastLine(file: string, mask: (text: string) => string): string | null {
  let handle: number | undefined
  try {
    handle = fs.openSync(file, 'r')
    const { size } = fs.fstatSync(handle)
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES))
    fs.readSync(handle, tail, 0, tail.length, size - tail.length)
    const line = tail.toString('utf8').trimEnd().split('\n').at(-1) ?? ''
    return mask(line).slice(-MAX_LINE) || null
  } catch {
    return null
  } finally {
    if (handle !== undefined) fs.closeSync(handle)
  }
}

function readQuietly(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
