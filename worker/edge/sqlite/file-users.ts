import { type BigIntStats, readdirSync, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'

/**
 * Which other processes have a file open, as Linux tells it under /proc [edge#replace]. A connection of SQLite that is idle holds no lock on a
 * database in rollback mode, so that locks alone do not show it.
 *
 * Files are only looked at, never opened: closing a second handle of a database ends the locks that this process has on it. Processes of other
 * accounts cannot be seen, and elsewhere than on Linux none can; then the locks of SQLite decide alone.
 */
export type FileId = { dev: bigint; ino: bigint }

export type FileUser = { pid: number; name: string }

/** The file at the path, by which it is known after its name has gone to another. */
export async function fileIdOf(path: string): Promise<FileId> {
  const { dev, ino } = await stat(path, { bigint: true })
  return { dev, ino }
}

/** Processes besides this one that have the file open; whatever cannot be seen is left out. */
export async function usersOf(file: FileId): Promise<FileUser[]> {
  const pids = namesIn('/proc').map(Number)
  const users: FileUser[] = []
  for (const pid of pids.filter((pid) => pid > 0 && pid !== process.pid)) {
    if (hasOpen(pid, file)) users.push({ pid, name: (await nameOf(pid)) || 'unknown' })
    // Others have their turn between two processes: a machine may have thousands of handles.
    await setImmediate()
  }
  return users
}

/** All of one process at once: the kernel answers from memory, so that asking in another thread costs ten times what is asked. */
const hasOpen = (pid: number, { dev, ino }: FileId): boolean =>
  namesIn(`/proc/${pid}/fd`).some((handle) => {
    const info = statOf(`/proc/${pid}/fd/${handle}`)
    return info?.ino === ino && info.dev === dev
  })

function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const nameOf = (pid: number): Promise<string> =>
  readFile(`/proc/${pid}/comm`, 'utf8').then(
    (name) => name.trim(),
    () => '',
  )
