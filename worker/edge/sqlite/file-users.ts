import { readdir, readFile, readlink, stat } from 'node:fs/promises'

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
  const pids = (await namesIn('/proc')).map(Number).filter((pid) => pid > 0 && pid !== process.pid)
  const users: FileUser[] = []
  for (const pid of pids)
    if (await hasOpen(pid, file)) users.push({ pid, name: (await nameOf(pid)) || 'unknown' })
  return users
}

async function hasOpen(pid: number, { dev, ino }: FileId): Promise<boolean> {
  for (const handle of await namesIn(`/proc/${pid}/fd`)) {
    const path = `/proc/${pid}/fd/${handle}`
    // Sockets and pipes have no path.
    if (!(await readlink(path).catch(() => '')).startsWith('/')) continue
    const info = await stat(path, { bigint: true }).catch(() => null)
    if (info?.ino === ino && info.dev === dev) return true
  }
  return false
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

const nameOf = (pid: number): Promise<string> =>
  readFile(`/proc/${pid}/comm`, 'utf8').then(
    (name) => name.trim(),
    () => '',
  )
