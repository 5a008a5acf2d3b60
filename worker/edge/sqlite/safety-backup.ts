import { randomUUID } from 'node:crypto'
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { syncFolder } from '#server/adapters/file-system/durable-file.ts'
import { EdgeFault, reasonOf } from '../fault.ts'
import { countsOf, type DatabaseCounts, logicalBytes } from './database-facts.ts'
import { countLocalAhead } from './local-ahead.ts'
import { withDatabase } from './open-database.ts'
import { copyInto } from './snapshot.ts'
import { countTablesAhead } from './tables-ahead.ts'
import { checkFreeSpace, makeTemporary, syncFile } from './temporary-file.ts'

/**
 * The safety backup: what a pull is about to replace, copied through SQLite with its WAL [edge#backups].
 *
 * It is taken after the worker was stopped and from the connection that will hold the database until it is replaced. The folder
 * is filled under another name and renamed when it is whole, so that a folder with a date is a complete backup. How far the
 * backup is ahead is counted in the backup itself: rows that were written until the last moment count. A backup that is
 * ahead of the remote copy in any table is pinned (backup-retention.ts).
 */
export type BackupManifest = {
  timestamp: string
  hostname: string
  reason: string
  local_sha: string
  remote_sha: string
  local_obs: number
  remote_obs: number
  /** Observations that the remote copy does not have. */
  local_ahead: number
  /** Rows by which other tables are more than in the remote copy; empty when none is. */
  tables_ahead: Record<string, number>
  db_path: string
  /** What became of the vector index: copied, absent, or why it could not be copied. */
  chroma: string
}

export type BackupRequest = {
  /** Folder of all backups. */
  root: string
  at: Date
  hostname: string
  reason: string
  /** The verified remote copy that will take the database's place. */
  remote: { path: string; sha256: string; counts: DatabaseCounts }
  /** The vector index beside the database, if this node keeps one. */
  chroma: string
}

export type SafetyBackup = { folder: string; file: string; manifest: BackupManifest }

export const DATABASE_FILE = 'claude-mem.db'

/** Copies what the connection sees; the counts of copy and original have to agree. Throws `EdgeFault` or SQLite's own error. */
export async function takeSafetyBackup(
  local: { connection: DatabaseSync; path: string },
  request: BackupRequest,
): Promise<SafetyBackup> {
  const { connection, path } = local
  const { root, remote } = request
  await mkdir(root, { recursive: true, mode: 0o700 })
  await checkFreeSpace(root, logicalBytes(connection))
  const partial = join(root, `.partial-${process.pid}-${randomUUID().slice(0, 8)}`)
  await mkdir(partial, { mode: 0o700 })
  try {
    const before = countsOf(connection)
    const copied = await copyInto(connection, await makeTemporary(partial, 'backup'))
    if (JSON.stringify(before) !== JSON.stringify(copied.counts))
      throw new EdgeFault(`${path} changed while it was backed up: close what writes to it and pull again`)
    await rename(copied.path, join(partial, DATABASE_FILE))
    const manifest: BackupManifest = {
      timestamp: request.at.toISOString(),
      hostname: request.hostname,
      reason: request.reason,
      local_sha: copied.sha256,
      remote_sha: remote.sha256,
      local_obs: copied.counts.observations,
      remote_obs: remote.counts.observations,
      local_ahead: countLocalAhead(join(partial, DATABASE_FILE), remote.path),
      tables_ahead: countTablesAhead(join(partial, DATABASE_FILE), remote.path),
      db_path: path,
      chroma: await copyChroma(request.chroma, join(partial, 'chroma.sqlite3')),
    }
    await writeFile(join(partial, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 })
    await syncFile(join(partial, 'manifest.json'))
    await syncFolder(partial)
    const folder = await publish(partial, root, request.at)
    return { folder, file: join(folder, DATABASE_FILE), manifest }
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

/** `YYYYMMDD-HHMMSS` in UTC. */
export const backupName = (at: Date): string =>
  at.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)

/** Gives the whole backup its dated name; a second one of the same second gets a number. */
async function publish(partial: string, root: string, at: Date): Promise<string> {
  for (let number = 1; ; number++) {
    const folder = join(root, `${backupName(at)}${number === 1 ? '' : `-${number}`}`)
    try {
      await access(folder)
    } catch {
      await rename(partial, folder)
      await syncFolder(root)
      return folder
    }
  }
}

/** The vector index can be built again from the database, so its fault does not stop the backup. */
async function copyChroma(from: string, to: string): Promise<string> {
  try {
    await access(from)
  } catch {
    return 'absent'
  }
  try {
    await writeFile(to, '', { mode: 0o600, flag: 'wx' })
    withDatabase(from, {}, (database) => database.prepare('VACUUM INTO ?').run(to))
    return 'copied'
  } catch (error) {
    await rm(to, { force: true })
    return `not copied: ${reasonOf(error)}`
  }
}
