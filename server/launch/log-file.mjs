/**
 * The log of a program: a file that is written while it can be, and never in the way of what it tells of.
 *
 * A full disk, a folder that is gone or a file that may not be opened loses lines and nothing else: they are counted, the next
 * line tries again, and the first one that gets through is preceded by how many were lost. A torn line ends where the space did.
 */
import fs from 'node:fs'
import path from 'node:path'

const LIMIT_BYTES = 10 * 1024 * 1024

/**
 * @typedef {object} LogFile
 * @property {string} file
 * @property {(line: string) => void} write never throws
 * @property {() => void} close
 */

/**
 * Opens the log. What earlier starts wrote is kept up to a size; the log before that is kept beside it.
 * @param {string} file
 * @returns {LogFile}
 */
export function openLog(file) {
  /** @type {number | undefined} */
  let handle
  let lost = 0
  quietly(() => keepOne(file))
  const append = (text) => {
    handle ??= open(file)
    // A file that was cut off in the middle of a line begins the next one afresh.
    const written = fs.writeSync(handle, lost ? `\n(${lost} lines were lost)\n${text}` : text)
    if (written < Buffer.byteLength(text)) throw new Error('the disk took a part of the line')
  }
  return {
    file,
    write: (line) => {
      if (quietly(() => append(`${line}\n`))) lost = 0
      else lost++
    },
    close: () => {
      if (handle !== undefined) quietly(() => fs.closeSync(handle ?? -1))
      handle = undefined
    },
  }
}

function open(file) {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  return fs.openSync(file, 'a', 0o600)
}

function keepOne(file) {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > LIMIT_BYTES) fs.renameSync(file, `${file}.1`)
}

/** Whether it could be done. */
function quietly(work) {
  try {
    work()
    return true
  } catch {
    return false
  }
}
