import { randomUUID } from 'node:crypto'
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFile,
  writeFileSync,
} from 'node:fs'
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { sha256Hex } from '#server/ports/object-store.ts'
import { isAlive, ownIdentity } from './process-identity.ts'

/**
 * Files that are there whole or not at all, and that survive a power cut: written aside, flushed, then linked or renamed
 * into place, and the folder flushed. A kill at any point leaves at most a file in the staging folder.
 *
 * Only what waits for the disk is handed to the thread pool: flushing, large contents, streams. A name or a small file is done before a trip through
 * the pool would have begun, and one durable file asks for a dozen of them. Flushing goes by handles, since Node's permission model knows no other.
 */
const writeAside = promisify(writeFile)

/** Bytes of a content that is written, or read, at once. */
const SMALL = 64 * 1024

const isCode = (error: unknown, ...codes: string[]): boolean =>
  codes.includes((error as NodeJS.ErrnoException | null)?.code ?? '')

/** True when the fault says that there is no such file. */
export const isAbsent = (error: unknown): boolean => isCode(error, 'ENOENT', 'ENOTDIR')
/** True when the fault says that something stands there already. */
export const isTaken = (error: unknown): boolean => isCode(error, 'EEXIST')

/** Flushes a folder, so that names made in it survive a power cut. Systems that cannot are silent about it. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } catch (error) {
    if (!isCode(error, 'EINVAL', 'EPERM', 'EISDIR')) throw error
  } finally {
    await handle.close()
  }
}

/** Makes a folder and flushes each parent in which a name was made. */
export async function makeFolder(folder: string): Promise<void> {
  for (const parent of await makeUnflushed(folder)) await syncFolder(parent)
}

/** Makes a folder and gives the parents in which a name was made: until they are flushed it does not survive a power cut. */
export async function makeUnflushed(folder: string): Promise<string[]> {
  const first = mkdirSync(folder, { recursive: true })
  const parents: string[] = []
  if (first) for (let at = folder; at.length >= first.length; at = dirname(at)) parents.push(dirname(at))
  return parents
}

/** A host in a file name; the boot and the process-id space that make one are too long. */
const hostName = (host: string): string => sha256Hex(host).slice(0, 16)

/** A new name for a file in a staging folder. It names the writer, so that only what a dead one left is swept. */
export const stagedName = ({ host, pid, started } = ownIdentity()): string =>
  `${hostName(host)}-${pid}-${started}-${randomUUID()}`

/** Whether the writer of a staged file lives; `unknown` is that of another host, and of a name that is not ours. */
function isWriterAlive(name: string): boolean | 'unknown' {
  const { host } = ownIdentity()
  const [of, pid, started = ''] = name.split('-')
  return of === hostName(host) ? isAlive({ host, pid: Number(pid), started }) : 'unknown'
}

/** Writes (and flushes, unless `isFlushed` is false) a new file under a name of its own in the staging folder; gives its path. */
export async function stage(staging: string, bytes: Uint8Array | string, isFlushed = true): Promise<string> {
  const path = join(staging, stagedName())
  if (!isFlushed) {
    try {
      writeFileSync(path, bytes, { flag: 'wx', mode: 0o644 })
    } catch (error) {
      await discard(path)
      throw error
    }
    return path
  }
  const handle = await open(path, 'wx', 0o644)
  try {
    await write(handle.fd, bytes)
    await handle.sync()
  } catch (error) {
    await handle.close()
    await discard(path)
    throw error
  }
  await handle.close()
  return path
}

/** Writes the content of a new file. */
export async function write(file: number, bytes: Uint8Array | string): Promise<void> {
  if (bytes.length <= SMALL) writeFileSync(file, bytes)
  else await writeAside(file, bytes)
}

/** As `stage`, from a stream: written as it comes, flushed at its end, and removed when it fails. */
export async function stageStream(staging: string, chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const path = join(staging, stagedName())
  const handle = await open(path, 'wx', 0o644)
  try {
    for await (const chunk of chunks) await handle.writeFile(chunk)
    await handle.sync()
  } catch (error) {
    await handle.close()
    await discard(path)
    throw error
  }
  await handle.close()
  return path
}

/** The content of a file, or null when there is none. */
export async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return statSync(path).size <= SMALL ? readFileSync(path) : await readFile(path)
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

/** Removes a file; one that is not there is fine. */
export async function discard(path: string): Promise<void> {
  try {
    unlinkSync(path)
  } catch (error) {
    if (!isAbsent(error)) throw error
  }
}

/** Puts a staged file under its final name as well if nothing stands there; `false` when something does. */
export async function linkTo(staged: string, path: string): Promise<boolean> {
  try {
    linkSync(staged, path)
    return true
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
}

/** Puts a staged file under its final name if nothing stands there; `false` when something does. The staged file is gone. */
export async function linkInto(staged: string, path: string): Promise<boolean> {
  try {
    return await linkTo(staged, path)
  } finally {
    await discard(staged)
  }
}

/** Puts a staged file under its final name in place of what stands there. */
export async function renameInto(staged: string, path: string): Promise<void> {
  try {
    renameSync(staged, path)
  } catch (error) {
    await discard(staged)
    throw error
  }
}

const LEFT_OVER_MS = 30_000
/** Of a process that lives, or of which nothing can be said: on a shared folder it may be another machine's, or another container's. */
const ABANDONED_MS = 24 * 60 * 60_000

/** Removes what dead processes of this host left in a staging folder more than 30 s ago; anything after a day. Returns the names. */
export async function sweepStaging(staging: string): Promise<string[]> {
  const removed: string[] = []
  for (const name of await readdir(staging)) {
    const path = join(staging, name)
    const info = await stat(path).catch(() => null)
    const limit = isWriterAlive(name) === false ? LEFT_OVER_MS : ABANDONED_MS
    if (!info?.isFile() || Date.now() - info.mtimeMs <= limit) continue
    await discard(path)
    removed.push(name)
  }
  return removed
}
