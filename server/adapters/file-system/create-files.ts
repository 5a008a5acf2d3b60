/**
 * Many new files, each whole, create-only and durable. All but flushing is done by synchronous calls: a small file asks for so few of them that a
 * trip through the thread pool for each would cost several times the work. So this runs in a thread of its own (`file-thread.ts`), which loads
 * nothing else.
 *
 * All files of a part are written aside, then flushed side by side, so that the disk's own commits are shared; then each is linked to its name,
 * and every folder in which a name was made is flushed once, at the end. Killed anywhere, each file stands whole or not at all, and what was
 * written aside names the process that is gone (`stagedName`).
 *
 * Folders are made on the way, one component at a time below a root that holds no link: what was just made is no link, and what stood there is
 * looked at, so none is followed.
 */
import {
  closeSync,
  fsync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

export type NewFiles = {
  /** An existing folder, by its real path; all files lie below it. */
  root: string
  /** The beginning of the paths of what is written aside, on the same file system. */
  staged: string
  /** The contents, one after another. */
  bytes: Uint8Array
  files: readonly { path: string; length: number }[]
}

/**
 * What became of a file: it was `created`, its name was `taken` by something else, its folder is `blocked` by a file, or the way to it is
 * `linked` elsewhere. Only created and taken ones are flushed.
 */
export type Outcome = 'created' | 'taken' | 'blocked' | 'linked'

type Part = { path: string; bytes: Uint8Array; staged: string }
type Folders = ReturnType<typeof foldersBelow>

/** Files that are open at the same time; together with other work far below what a process may open. */
const OPEN_AT_ONCE = 256
/** Threads that Node does files with, unless it is started with more. */
const THREADS = 4
/**
 * Flushes of one batch that share the disk's commits: as many as the pool has threads, so that what else a process does with files waits for one. On a disk of
 * a virtual machine, sixteen make three times as many files durable as four, with less processor time for each.
 */
const FLUSHES_AT_ONCE = Number(process.env.UV_THREADPOOL_SIZE) || THREADS

export const flush = promisify(fsync)

const isCode = (error: unknown, ...codes: string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException | null)?.code ?? '')

/** Creates the files; gives, in order, what became of each. Throws when the disk fails, and then any of them may stand. */
export async function createFiles({ root, staged, bytes, files }: NewFiles): Promise<Outcome[]> {
  const folders = foldersBelow(root)
  const outcomes: Outcome[] = []
  let at = 0
  const parts = files.map(({ path, length }, n) => {
    at += length
    return { path, bytes: bytes.subarray(at - length, at), staged: `${staged}-${n}` }
  })
  for (let n = 0; n < parts.length; n += OPEN_AT_ONCE)
    outcomes.push(...(await createPart(parts.slice(n, n + OPEN_AT_ONCE), folders)))
  const named = [...folders.unflushed]
  for (let n = 0; n < named.length; n += OPEN_AT_ONCE) await syncFolders(named.slice(n, n + OPEN_AT_ONCE))
  return outcomes
}

async function createPart(parts: readonly Part[], folders: Folders): Promise<Outcome[]> {
  const written: string[] = []
  try {
    await stage(parts, written)
    return parts.map(({ path, staged }) => name(staged, path, folders))
  } finally {
    for (const path of written) unlinkSync(path)
  }
}

/** Writes all aside, then flushes all; adds the path of each to `written` as soon as it is there. */
async function stage(parts: readonly Part[], written: string[]): Promise<void> {
  const open: number[] = []
  try {
    for (const { staged, bytes } of parts) {
      open.push(openSync(staged, 'wx', 0o644))
      written.push(staged)
      writeFileSync(open.at(-1) as number, bytes)
    }
    await flushAll(open, flush)
  } finally {
    for (const file of open) closeSync(file)
  }
}

function name(staged: string, path: string, folders: Folders): Outcome {
  const folder = dirname(path)
  const fault = folders.make(folder)
  if (fault) return fault
  folders.unflushed.add(folder)
  try {
    linkSync(staged, path)
    return 'created'
  } catch (error) {
    if (isCode(error, 'EEXIST')) return 'taken'
    throw error
  }
}

type FolderFault = 'blocked' | 'linked' | null

/** The folders that were made or looked at, each once; `unflushed` are those in which a name was made. */
function foldersBelow(root: string) {
  const known = new Map<string, FolderFault>([[root, null]])
  const unflushed = new Set<string>()
  const make = (folder: string): FolderFault => {
    const seen = known.get(folder)
    if (seen !== undefined) return seen
    const fault = make(dirname(folder)) ?? makeOne(folder)
    known.set(folder, fault)
    return fault
  }
  const makeOne = (folder: string): FolderFault => {
    try {
      mkdirSync(folder)
      unflushed.add(dirname(folder))
      return null
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error
    }
    const info = lstatSync(folder)
    if (info.isSymbolicLink()) return 'linked'
    return info.isDirectory() ? null : 'blocked'
  }
  return { make, unflushed }
}

async function syncFolders(folders: readonly string[]): Promise<void> {
  const open: number[] = []
  try {
    for (const folder of folders) open.push(openSync(folder, 'r'))
    await flushAll(open, flushFolder)
  } finally {
    for (const file of open) closeSync(file)
  }
}

/** Systems that cannot flush a folder are silent about it. */
const flushFolder = (file: number): Promise<void> =>
  flush(file).catch((error) => {
    if (!isCode(error, 'EINVAL', 'EPERM', 'EISDIR')) throw error
  })

/** Throws the first fault once all that was under way has ended, so that whoever closes the files closes none that is being flushed. */
export async function flushAll(
  files: readonly number[],
  flushOne: (file: number) => Promise<void>,
): Promise<void> {
  const rest = files.values()
  const lane = async () => {
    for (const file of rest) await flushOne(file)
  }
  const lanes = await Promise.allSettled(Array.from({ length: FLUSHES_AT_ONCE }, lane))
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
}
