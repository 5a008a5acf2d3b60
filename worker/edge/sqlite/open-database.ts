import { DatabaseSync } from 'node:sqlite'
import { EdgeFault, reasonOf } from '../fault.ts'

/**
 * Opening `claude-mem.db`, and what SQLite's refusals mean to a person [edge#database].
 *
 * The file is in WAL mode: with a live worker the main file may hold 4 096 bytes and everything else lies in `-wal`. So it is
 * read through SQLite and never copied. A connection that only reads changes neither file; where nobody had
 * the database open, it leaves an empty `-wal` and its index beside it, as every reader of SQLite does.
 */
const BUSY_MS = 5_000

/** SQLite's primary result codes that have a cause a person can act on. */
const CAUSES: Record<number, (path: string) => string> = {
  5: (path) => `${path} is locked by another process: close what uses it and run the command again`,
  6: (path) => `${path} is locked by another process: close what uses it and run the command again`,
  8: (path) => `${path} cannot be written: check the rights of the file and of its folder`,
  10: (path) => `the disk failed at ${path}: check the disk and the free space, then run the command again`,
  11: (path) => `${path} is corrupt: rename it and pull, or put back a backup`,
  13: (path) => `the disk is full at ${path}: free some space and run the command again`,
  14: (path) => `${path} cannot be opened: check the path and the rights of its folder`,
  26: (path) => `${path} is not an SQLite database: check CLAUDE_MEM_DB`,
}

/** A fault of SQLite as one line that names the next step; other faults as they are. */
export function sqliteFault(error: unknown, path: string): EdgeFault {
  if (error instanceof EdgeFault) return error
  const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff
  const message = CAUSES[code]?.(path) ?? `${path} cannot be read: ${reasonOf(error)}`
  return new EdgeFault(message, { cause: error })
}

/** Whether SQLite refused because the file itself is unusable, so that no process can be at work in it. */
export function isDamaged(error: unknown): boolean {
  const cause = error instanceof EdgeFault ? error.cause : error
  return [11, 26].includes(((cause as { errcode?: number } | undefined)?.errcode ?? 0) & 0xff)
}

export type OpenOptions = {
  /** Whether the connection may write; it reads only by default. */
  writable?: boolean
  /** How long another process's lock is waited for, in milliseconds (5 000). */
  busyMs?: number
}

/** Runs `work` on a connection that is closed when it ends; refusals of SQLite become `EdgeFault`. */
export function withDatabase<T>(path: string, options: OpenOptions, work: (database: DatabaseSync) => T): T {
  let database: DatabaseSync | undefined
  try {
    database = openDatabase(path, options)
    return work(database)
  } catch (error) {
    throw sqliteFault(error, path)
  } finally {
    database?.close()
  }
}

/** A connection that the caller closes. Throws SQLite's own error. */
export function openDatabase(path: string, { writable = false, busyMs = BUSY_MS }: OpenOptions = {}) {
  const database = new DatabaseSync(path, { readOnly: !writable, timeout: busyMs })
  // A view or a trigger of a foreign file must not run functions with side effects.
  database.exec('PRAGMA trusted_schema = OFF')
  return database
}
