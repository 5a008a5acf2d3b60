import { randomUUID } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { StorageUnavailable, sha256Hex } from '#server/ports/object-store.ts'
import { discard, isAbsent, linkInto, stage } from './durable-file.ts'
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.ts'

/**
 * A lock between processes that a kill cannot leave behind.
 *
 * States: free (no file) → held (a file that names its holder) → free. The file is linked into place whole, so a lock never
 * lacks its holder. A lock whose holder is certainly dead is removed at once; one of a holder nobody knows (another
 * container, a foreign tool) after 30 s of age, unless `isInUse` says that its holder may live. Removal happens under a second lock of the same kind, and looks again under
 * it: only so can two waiters not remove a third one's fresh lock. A paused holder is alive, and is waited for.
 * Not knowing means not holding: after `waitMs` the caller gets `StorageUnavailable` and nothing has happened.
 */
export type FileLock = {
  path: string
  staging: string
  waitMs?: number
  /** Asked before an old lock of an unknown holder is removed. */
  isInUse?: () => Promise<boolean>
}

type LockOwner = ProcessIdentity & { token: string }

const FOREIGN_STALE_MS = 30_000
const DEFAULT_WAIT_MS = 10_000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

function read(path: string): { text: string; ageMs: number } | null {
  try {
    return { text: readFileSync(path, 'utf8'), ageMs: Date.now() - statSync(path).mtimeMs }
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

function parse(text: string): LockOwner | null {
  try {
    const owner = JSON.parse(text) as Partial<LockOwner>
    return typeof owner.pid === 'number' && typeof owner.host === 'string' ? (owner as LockOwner) : null
  } catch {
    return null
  }
}

async function isStale(found: { text: string; ageMs: number }, { isInUse }: FileLock): Promise<boolean> {
  const holder = parse(found.text)
  const alive = holder ? isAlive(holder) : 'unknown'
  if (alive !== 'unknown') return !alive
  return found.ageMs > FOREIGN_STALE_MS && !(await isInUse?.())
}

/** Removes the lock if its holder left it; true when it did. */
export async function removeStaleLock(lock: FileLock): Promise<boolean> {
  const found = read(lock.path)
  return found !== null && (await isStale(found, lock)) && (await reap(lock, found.text))
}

/** Removes a stale lock, unless it has changed hands by the time nobody else may remove it. */
async function reap(lock: FileLock, seen: string): Promise<boolean> {
  const owner = await acquire({
    staging: lock.staging,
    path: join(lock.staging, `reap-${sha256Hex(lock.path).slice(0, 32)}`),
  })
  try {
    const now = read(lock.path)
    if (!now || now.text !== seen || !(await isStale(now, lock))) return false
    await discard(lock.path)
    return true
  } finally {
    await release(owner)
  }
}

async function acquire(lock: FileLock): Promise<FileLock & { text: string }> {
  const until = performance.now() + (lock.waitMs ?? DEFAULT_WAIT_MS)
  const text = `${JSON.stringify({ ...ownIdentity(), token: randomUUID() } satisfies LockOwner)}\n`
  for (let wait = 1; ; wait = Math.min(wait * 2, 50)) {
    if (await linkInto(await stage(lock.staging, text, false), lock.path)) return { ...lock, text }
    const owner = read(lock.path)
    if (owner && (await isStale(owner, lock))) await reap(lock, owner.text)
    else if (performance.now() > until)
      throw new StorageUnavailable(`another process holds the lock ${lock.path}`)
    else if (owner) await pause(wait + Math.random() * wait)
  }
}

/** Looks before it removes: a holder of whom another container knew nothing may have been taken for dead. */
async function release(lock: FileLock & { text: string }): Promise<void> {
  if (read(lock.path)?.text === lock.text) await discard(lock.path)
}

const queues = new Map<string, Promise<unknown>>()

/** Runs `work` while this process, and within it this call alone, holds the lock. */
export async function withFileLock<T>(lock: FileLock, work: () => Promise<T>): Promise<T> {
  const before = queues.get(lock.path)
  const turn = (async () => {
    await before?.catch(() => undefined)
    const owner = await acquire(lock)
    try {
      return await work()
    } finally {
      await release(owner)
    }
  })()
  queues.set(lock.path, turn)
  try {
    return await turn
  } finally {
    if (queues.get(lock.path) === turn) queues.delete(lock.path)
  }
}
