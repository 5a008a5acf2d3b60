import { randomUUID } from 'node:crypto'
import { open, readdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive } from '#server/launch/process-identity.mjs'
import { EdgeFault } from '../fault.ts'

/**
 * Files beside the database that must not outlive the command: they are named after the process that made them, hold a whole
 * copy of a person's memory, and so are readable by nobody else. What a killed process left is swept by the next command.
 */
const PREFIX = '.membridge-'
const NAME = /^\.membridge-(\d+)-/
/** SQLite's own companions of a database file. */
export const COMPANIONS = ['-journal', '-wal', '-shm'] as const

/** Makes an empty file of mode 0600 in the folder and gives its path. */
export async function makeTemporary(folder: string, what: string): Promise<string> {
  const path = join(folder, `${PREFIX}${process.pid}-${what}-${randomUUID().slice(0, 8)}.db`)
  const handle = await open(path, 'wx', 0o600)
  await handle.close()
  return path
}

/** Removes a database file and its companions; what is not there is fine. */
export async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ['', ...COMPANIONS]) await rm(`${path}${suffix}`, { force: true })
}

/** Removes what processes that are gone left in the folder; returns the names. */
export async function sweepTemporaries(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const left = names.filter((name) => {
    const pid = Number(NAME.exec(name)?.[1] ?? Number.NaN)
    return Number.isInteger(pid) && pid !== process.pid && !isAlive(pid)
  })
  for (const name of left) await rm(join(folder, name), { force: true })
  return left
}

/** How much more than the database's size has to be free before a copy of it is begun. */
const HEADROOM = 1.2

/** Throws `EdgeFault` unless a copy of so many bytes fits into the folder with some space to spare. */
export async function checkFreeSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const wanted = Math.ceil(bytes * HEADROOM)
  if (free < wanted)
    throw new EdgeFault(
      `not enough space in ${folder}: ${wanted} bytes are needed and ${free} are free; free some space and run the command again`,
    )
}

/** Flushes a file's content to the disk. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
