import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { isAlive } from '../process-identity.mjs'
import { isReachable } from '../unprivileged.mjs'
import { endLeftovers } from './test-postgres.ts'

/** A database is some 700 files, which a disk makes in half a second and memory in a moment. */
const MEMORY = '/dev/shm'
const PREFIX = 'bloom-tests-'
const ROOM_BYTES = 6 * 1024 ** 3

/**
 * A new folder in memory for this process; null where the machine has none, or not enough, or lets nobody run a program there. Folders of
 * processes that are gone are removed.
 */
export function openMemory(): string | null {
  try {
    const { bavail, bsize } = fs.statfsSync(MEMORY)
    if (bavail * bsize < ROOM_BYTES || !isReachable(MEMORY)) return null
    removeLeftovers()
    const folder = fs.mkdtempSync(path.join(MEMORY, `${PREFIX}${process.pid}-`))
    // The account of a PostgreSQL server walks through it.
    fs.chmodSync(folder, 0o711)
    const program = path.join(folder, 'program')
    fs.writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    execFileSync(program)
    return folder
  } catch {
    return null
  }
}

function removeLeftovers(): void {
  for (const name of fs.readdirSync(MEMORY)) {
    const owner = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN
    if (!Number.isInteger(owner) || isAlive(owner)) continue
    const folder = path.join(MEMORY, name)
    endLeftovers(folder)
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
