/** Where the checkout is, and digests over parts of it. Plain Node without dependencies: it runs before the install. */
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that holds package.json. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

/**
 * Lists the files below a path of the checkout, sorted; a path that does not exist has none.
 * @param {string} relative
 * @returns {string[]} paths relative to the checkout, with forward slashes
 */
export function listFiles(relative) {
  const stat = fs.statSync(path.join(ROOT, relative), { throwIfNoEntry: false })
  if (!stat) return []
  return stat.isFile() ? [relative] : filesIn(relative)
}

function filesIn(folder) {
  return fs
    .readdirSync(path.join(ROOT, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const place = `${folder}/${entry.name}`
      if (entry.isSymbolicLink()) return listFiles(place)
      return entry.isDirectory() ? filesIn(place) : [place]
    })
}

/**
 * SHA-256 over the names and contents of the given files and folders.
 * @param {string[]} relativePaths
 * @param {(file: string) => boolean} [counts] which files count (all by default)
 * @returns {string} hex
 */
export function digestOf(relativePaths, counts = () => true) {
  const hash = crypto.createHash('sha256')
  for (const file of relativePaths.flatMap(listFiles).filter(counts)) {
    hash
      .update(`${file}\0`)
      .update(fs.readFileSync(path.join(ROOT, file)))
      .update('\0')
  }
  return hash.digest('hex')
}

/**
 * The text of a file of the checkout, or '' when it cannot be read.
 * @param {string} relative
 */
export function readStamp(relative) {
  try {
    return fs.readFileSync(path.join(ROOT, relative), 'utf8')
  } catch {
    return ''
  }
}
