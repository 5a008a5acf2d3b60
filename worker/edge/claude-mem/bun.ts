import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { reasonOf } from '../fault.ts'
import { foreignEnvironment, type Host } from '../host.ts'

/**
 * The runtime of claude-mem, and whether it fits this machine [edge#diagnose].
 *
 * A home folder that was copied from another machine brings a binary of that machine. What it was built for stands in its ELF
 * header, so that is read instead of guessing from how it fails. One that runs is right whatever its header says: a kernel may run
 * programs of another machine.
 */
const MACHINES: Record<number, string> = { 62: 'x86-64', 183: 'aarch64', 40: 'arm' }
const HOSTS: Record<string, string> = {
  x86_64: 'x86-64',
  amd64: 'x86-64',
  arm64: 'aarch64',
  armv6l: 'arm',
  armv7l: 'arm',
}
/** Bytes of an ELF header up to and with the machine it was built for. */
const HEADER_BYTES = 20
const RUN_MS = 5_000

/** The machine that a binary's header names; `windows` for a PE file, null for a script or a format that is not known. */
export function machineOf(header: Buffer): string | null {
  if (header.subarray(0, 2).toString('latin1') === 'MZ') return 'windows'
  if (header.length < HEADER_BYTES || header.readUInt32BE(0) !== 0x7f454c46) return null
  const bigEndian = header[5] === 2
  const machine = bigEndian ? header.readUInt16BE(18) : header.readUInt16LE(18)
  return MACHINES[machine] ?? `machine 0x${machine.toString(16)}`
}

/** `bun` in PATH, else in `~/.bun/bin`; null when there is none that may be run. */
export function findBun({ env, home }: Host): string | null {
  const folders = [
    ...(env.PATH ?? '').split(path.delimiter).filter(path.isAbsolute),
    path.join(home, '.bun/bin'),
  ]
  return folders.map((folder) => path.join(folder, 'bun')).find(isProgram) ?? null
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

/** Why this bun cannot run here, or null. Runs `bun --version`; the header says why that fails. */
export async function bunMismatch(bun: string, host: Host): Promise<string | null> {
  try {
    await promisify(execFile)(bun, ['--version'], { timeout: RUN_MS, env: foreignEnvironment(host) })
    return null
  } catch (error) {
    const header = readHeader(bun)
    const machine = header && machineOf(header)
    const own = HOSTS[host.machine] ?? host.machine
    if (machine === 'windows') return `${bun} is a Windows program`
    if (machine !== null && machine !== own) return `${bun} was built for ${machine}, this machine is ${own}`
    return `${bun} does not run: ${reasonOf(error)}`
  }
}

/** The beginning of the file, or null when it may be run but not read. */
function readHeader(file: string): Buffer | null {
  let handle: number | undefined
  try {
    handle = fs.openSync(file, 'r')
    const header = Buffer.alloc(HEADER_BYTES)
    return header.subarray(0, fs.readSync(handle, header, 0, HEADER_BYTES, 0))
  } catch {
    return null
  } finally {
    if (handle !== undefined) fs.closeSync(handle)
  }
}
