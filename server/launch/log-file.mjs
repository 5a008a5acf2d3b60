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
 * Opens the log. It is kept up to a size, however long the program runs; the log before that is kept beside it.
 * @param {string} file
 * @param {number} [limit] bytes
 * @returns {LogFile}
 */
export function openLog(file, limit = LIMIT_BYTES) {
  /** @type {number | undefined} */
  let handle
  let size = 0
  let lost = 0
  const close = () => {
    if (handle !== undefined) quietly(() => fs.closeSync(handle ?? -1))
    handle = undefined
  }
  const opened = () => {
    handle = open(file)
    size = fs.fstatSync(handle).size
    return handle
  }
  const append = (text) => {
    let to = handle ?? opened()
    if (size > limit) {
      close()
      quietly(() => fs.renameSync(file, `${file}.1`))
      to = opened()
    }
    // A file that was cut off in the middle of a line begins the next one afresh.
    const written = fs.writeSync(to, lost ? `\n(${lost} lines were lost)\n${text}` : text)
    size += written
    if (written < Buffer.byteLength(text)) throw new Error('the disk took a part of the line')
  }
  return {
    file,
    write: (line) => {
      if (quietly(() => append(`${line}\n`))) lost = 0
      else lost++
    },
    close,
  }
}

function open(file) {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  return fs.openSync(file, 'a', 0o600)
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
