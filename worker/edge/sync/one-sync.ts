import { mkdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sweepStaging } from '#server/adapters/file-system/durable-file.ts'
import { withFileLock } from '#server/adapters/file-system/file-lock.ts'
import { StorageUnavailable, sha256Hex } from '#server/ports/object-store.ts'
import { EdgeFault } from '../fault.ts'
import type { Host } from '../host.ts'

/**
 * One push or pull at a time for a database file, whatever the project [edge#one-sync].
 *
 * The lock lies in the account's own folder, not beside the database, and names the process that holds it: one that was killed leaves
 * a lock that the next command removes. It spares two snapshots at once; what keeps the store right is the Push Lock and the fence.
 */
export async function withOneSync<T>(
  host: Pick<Host, 'home'>,
  database: string,
  work: () => Promise<T>,
): Promise<T> {
  const staging = join(host.home, '.membridge/locks/staging')
  await mkdir(staging, { recursive: true, mode: 0o700 })
  await sweepStaging(staging)
  const path = join(dirname(staging), `${sha256Hex(await realDatabase(database)).slice(0, 32)}.lock`)
  let begun = false
  try {
    return await withFileLock({ path, staging, waitMs: 0 }, () => {
      begun = true
      return work()
    })
  } catch (error) {
    if (begun || !(error instanceof StorageUnavailable)) throw error
    throw new EdgeFault(
      `another push or pull of ${database} is running: wait for it to end and run the command again`,
      { cause: error },
    )
  }
}

/** The path without links. Of a database that is not there yet, that of its folder; of a folder that is not there, the path as given. */
export async function realDatabase(path: string): Promise<string> {
  const resolved = await realpath(path).catch(() => null)
  if (resolved !== null) return resolved
  const folder = await realpath(dirname(path)).catch(() => null)
  return folder === null ? path : join(folder, basename(path))
}
