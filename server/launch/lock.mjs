/**
 * A lock between processes of one machine: a file created exclusively that names its owner.
 *
 * An owner is a process id and, where the system knows it, the moment that process began: ids are used again, and after
 * a restart of a container soon. The file also names its own inode, so that a copy of a locked folder is not locked by
 * whoever runs in the original. How it fails: the file of an owner that died without releasing is removed under a second
 * exclusive file and only after another look, so that of several waiting processes none removes a living owner's file.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isAlive, startOf } from './process-identity.mjs'

/** A file is empty between its creation and its first write; so long an empty one counts as somebody's. */
const EMPTY_GRACE_MS = 5_000

/** Files locked by this very process. */
const ownLocks = new Set()

/**
 * Tries once to take the lock.
 * @param {string} file
 * @returns {(() => void) | number} the function that releases it, or the living owner's process id (0 while unknown)
 */
export function tryLock(file) {
  if (ownLocks.has(file)) return process.pid
  fs.mkdirSync(path.dirname(file), { recursive: true })
  while (!createOwned(file)) {
    const owner = livingOwner(file)
    if (owner !== null) return owner
    removeDead(file)
  }
  ownLocks.add(file)
  return () => {
    if (ownLocks.delete(file)) fs.rmSync(file, { force: true })
  }
}

/**
 * Who has the lock, without trying to take it.
 * @param {string} file
 * @returns {number | null} the living owner's process id, 0 while it is not known, null when nobody has it
 */
export const ownerOf = (file) => (ownLocks.has(file) ? process.pid : livingOwner(file))

/**
 * Runs `work` while holding the lock; waits as long as a living process has it.
 * @template T
 * @param {string} file
 * @param {() => Promise<T> | T} work
 * @returns {Promise<T>}
 */
export async function withLock(file, work) {
  let release = tryLock(file)
  while (typeof release === 'number') {
    await pause(50)
    release = tryLock(file)
  }
  try {
    return await work()
  } finally {
    release()
  }
}

/** Process id, its start time where the system knows it, and the inode of the file that says so. */
const nameOf = (pid, inode) => `${pid} ${startOf(pid) || '-'} ${inode}`

/** Creates the file in this process's name; false when it is there already. */
function createOwned(file) {
  const handle = openExclusively(file)
  if (handle === null) return false
  try {
    fs.writeSync(handle, nameOf(process.pid, fs.fstatSync(handle).ino))
  } finally {
    fs.closeSync(handle)
  }
  return true
}

function openExclusively(file) {
  try {
    return fs.openSync(file, 'wx')
  } catch (error) {
    if (error.code === 'EEXIST') return null
    throw error
  }
}

/** The owner's process id, 0 when it is not known yet, null when there is none alive. */
function livingOwner(file) {
  try {
    const text = fs.readFileSync(file, 'utf8')
    const { ino, mtimeMs } = fs.statSync(file)
    if (!text) return Date.now() - mtimeMs < EMPTY_GRACE_MS ? 0 : null
    const pid = Number.parseInt(text, 10)
    return isAlive(pid) && nameOf(pid, ino) === text && pid !== process.pid ? pid : null
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw error
  }
}

function removeDead(file) {
  const guard = `${file}.removing`
  const handle = openExclusively(guard)
  if (handle === null) {
    const age = Date.now() - (fs.statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    if (age > EMPTY_GRACE_MS) fs.rmSync(guard, { force: true })
    return
  }
  fs.closeSync(handle)
  try {
    if (livingOwner(file) === null) fs.rmSync(file, { force: true })
  } finally {
    fs.rmSync(guard, { force: true })
  }
}
