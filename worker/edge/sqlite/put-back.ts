import { access, copyFile, mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isAbsent, syncFolder } from '#server/adapters/file-system/durable-file.ts'
import { EdgeFault, reasonOf } from '../fault.ts'
import { UNEXPECTED } from './backup-retention.ts'
import { logicalBytes } from './database-facts.ts'
import {
  enterWal,
  installFile,
  locateDatabase,
  openTarget,
  overwriteDamaged,
  type ReplaceTarget,
  removeTarget,
} from './install-file.ts'
import { isDamaged, sqliteFault } from './open-database.ts'
import { backupName, type SafetyBackup } from './safety-backup.ts'
import { checkFreeSpace, makeTemporary, removeDatabase, syncFile } from './temporary-file.ts'

/**
 * Undoing a replacement: the backup, or nothing, takes the place of a database that is not what was fetched [edge#replace].
 *
 * What stands there may hold rows that another process wrote after the rename. So it is first copied through SQLite to
 * `unexpected.db` in the backup's folder, which pins that folder, and it goes only under the exclusive lock and unchanged since
 * the copy. In use, or without space for the copy: it stays, and the fault names the backup. A file that SQLite cannot use
 * is copied as it lies, with its companions.
 */
export async function putBack(
  path: string,
  undo: SafetyBackup | { root: string; at: Date },
  cause: unknown,
): Promise<EdgeFault> {
  const why = reasonOf(cause)
  const backup = 'file' in undo ? undo : null
  try {
    const kept =
      'file' in undo
        ? await restoreBackup(path, undo.file)
        : await replaceUnexpected(path, join(undo.root, backupName(undo.at)), null)
    const done = backup ? 'the database was put back as it was' : 'the pulled database was removed again'
    const what = kept === null ? '' : `; what stood there is kept in ${kept}`
    return new EdgeFault(`${done} (${why})${what}: pull again`, { cause })
  } catch (error) {
    const place = backup ? `the backup is in ${backup.folder}` : 'nothing was there before'
    return new EdgeFault(
      `the pulled database is not as expected (${why}) and could not be undone (${reasonOf(error)}): ${place}`,
      { cause: error },
    )
  }
}

/**
 * Puts a copy of a backup in the place of the database, damaged or not; the backup stays. Returns where what stood there is kept,
 * null when nothing did. Throws `EdgeFault`.
 */
export async function restoreBackup(given: string, backup: string): Promise<string | null> {
  const path = (await locateDatabase(given)) ?? given
  const incoming = await makeTemporary(dirname(path), 'restore')
  try {
    await copyFile(backup, incoming)
    const kept = await replaceUnexpected(path, dirname(backup), incoming)
    enterWal(path)
    return kept
  } catch (error) {
    await removeDatabase(incoming)
    throw error
  }
}

/** Keeps in the folder what stands at the path, then puts `incoming`, or nothing, there. */
async function replaceUnexpected(
  path: string,
  folder: string,
  incoming: string | null,
): Promise<string | null> {
  try {
    return await replaceReadable(path, folder, incoming)
  } catch (error) {
    if (!isDamaged(error)) throw error
    const kept = await keepDamaged(path, folder)
    await overwriteDamaged(path, incoming)
    return kept
  }
}

async function replaceReadable(
  path: string,
  folder: string,
  incoming: string | null,
): Promise<string | null> {
  const target = await openTarget(path)
  try {
    const seen = target.version()
    const kept = await keepReadable(target, folder)
    if (incoming !== null) await installFile(target, incoming, { seen, onStep: () => {}, warn: () => {} })
    else if (target.connection) await removeTarget(target, seen)
    return kept
  } catch (error) {
    throw sqliteFault(error, path)
  } finally {
    target.connection?.close()
  }
}

async function keepReadable({ connection }: ReplaceTarget, folder: string): Promise<string | null> {
  if (!connection) return null
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await checkFreeSpace(folder, logicalBytes(connection))
  const copy = await makeTemporary(folder, 'unexpected')
  try {
    connection.prepare('VACUUM INTO ?').run(copy)
    await syncFile(copy)
    return await nameKept(copy, folder)
  } catch (error) {
    await removeDatabase(copy)
    throw error
  }
}

async function keepDamaged(path: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const copy = await makeTemporary(folder, 'unexpected')
  await copyFile(path, copy)
  await syncFile(copy)
  const kept = await nameKept(copy, folder)
  for (const suffix of ['-wal', '-journal'])
    await copyFile(`${path}${suffix}`, `${kept}${suffix}`).catch((error) => {
      if (!isAbsent(error)) throw error
    })
  return kept
}

/** Gives the copy the first name that is free; one process at a time works in the folder. */
async function nameKept(copy: string, folder: string): Promise<string> {
  for (let number = 1; ; number++) {
    const kept = join(folder, `${UNEXPECTED}${number === 1 ? '' : `-${number}`}.db`)
    try {
      await access(kept)
    } catch {
      await rename(copy, kept)
      await syncFolder(folder)
      return kept
    }
  }
}
