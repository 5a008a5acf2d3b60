import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { EdgeFault } from '../fault.ts'
import { checkIntegrity, countsOf, type DatabaseCounts, logicalBytes } from './database-facts.ts'
import { digestFile, type FileDigest } from './file-digest.ts'
import { openDatabase, sqliteFault, withDatabase } from './open-database.ts'
import { checkFreeSpace, makeTemporary, removeDatabase, syncFile } from './temporary-file.ts'

/**
 * A snapshot: one consistent state of the database, WAL included, in a file of its own, while the worker goes on writing [edge#snapshot].
 *
 * `VACUUM INTO` reads inside one transaction, so nothing has to be stopped. Integrity, counts and digests are those of the
 * snapshot, not of the live file. It fails before it writes when the database is larger than allowed or a copy would not
 * fit; whatever fails, no file is left behind.
 */
export type Snapshot = FileDigest & { path: string; counts: DatabaseCounts }

export type SnapshotOptions = {
  /** The largest database that is copied, in bytes. */
  maxBytes: number
  /** The folder of the snapshot; the database's own by default. */
  folder?: string
}

/** Takes a snapshot that the caller removes (`removeDatabase`). Throws `EdgeFault`. */
export async function takeSnapshot(
  database: string,
  { maxBytes, folder = dirname(database) }: SnapshotOptions,
): Promise<Snapshot> {
  const source = await openSource(database)
  try {
    const bytes = logicalBytes(source)
    if (bytes > maxBytes)
      throw new EdgeFault(
        `${database} has ${bytes} bytes, more than MEMBRIDGE_MAX_DB_BYTES (${maxBytes}): raise that limit to sync it`,
      )
    await checkFreeSpace(folder, bytes)
    return await copyInto(source, await makeTemporary(folder, 'snapshot'))
  } catch (error) {
    throw sqliteFault(error, database)
  } finally {
    source.close()
  }
}

async function openSource(database: string): Promise<DatabaseSync> {
  const info = await stat(database).catch(() => null)
  if (!info) throw new EdgeFault(`${database} does not exist: check CLAUDE_MEM_DB, or pull first`)
  if (!info.isFile()) throw new EdgeFault(`${database} is not a file: check CLAUDE_MEM_DB`)
  try {
    return openDatabase(database)
  } catch (error) {
    throw sqliteFault(error, database)
  }
}

/** Vacuums what the connection sees into an empty file, checks it and flushes it; removes the file when that fails. */
export async function copyInto(source: DatabaseSync, path: string): Promise<Snapshot> {
  try {
    source.prepare('VACUUM INTO ?').run(path)
    const counts = withDatabase(path, {}, (copy) => {
      checkIntegrity(copy, path)
      return countsOf(copy)
    })
    await syncFile(path)
    return { ...(await digestFile(path)), path, counts }
  } catch (error) {
    await removeDatabase(path)
    throw error
  }
}
