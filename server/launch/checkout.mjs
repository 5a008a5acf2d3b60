/** Where the checkout is, and its files. Plain Node without dependencies: it runs before the install. */
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
