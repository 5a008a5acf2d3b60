/**
 * A lock between processes of one machine: a file created exclusively that holds its owner's process id.
 *
 * How it fails: an owner that died without releasing is recognised by its id (no such process) and the lock is taken
 * over by renaming the dead file aside, which only one of several waiting processes can do.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Whether a process with this id lives (whoever owns it).
 * @param {number} pid
 */
export function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/**
 * Tries once to take the lock.
 * @param {string} file
 * @returns {(() => void) | number} the function that releases it, or the living owner's process id
 */
export function tryLock(file) {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  for (;;) {
    try {
      fs.writeFileSync(file, String(process.pid), { flag: 'wx' })
      return () => fs.rmSync(file, { force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const owner = readOwner(file)
    if (owner === 'gone') continue
    if (owner !== process.pid && isAlive(owner)) return owner
    removeDead(file)
  }
}

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

function readOwner(file) {
  try {
    // A lock file is empty for an instant between its creation and its first write: its owner counts as alive.
    const text = fs.readFileSync(file, 'utf8')
    if (text) return Number(text)
    return Date.now() - fs.statSync(file).mtimeMs < 2_000 ? process.ppid : 0
  } catch (error) {
    if (error.code === 'ENOENT') return 'gone'
    throw error
  }
}

function removeDead(file) {
  const aside = `${file}.${process.pid}.dead`
  try {
    fs.renameSync(file, aside)
    fs.rmSync(aside, { force: true })
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}
