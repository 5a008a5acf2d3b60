/**
 * The server's part of the built pages, made smaller for the process that loads it and keeps the text of what it has loaded.
 *
 * The compiler writes a chunk again, under another name, for each group of pages that has it: megabytes that would be read, compiled and kept up to four times. The
 * second and later ones become a line that requires the first. What remains is written in ASCII (one-byte.mjs).
 *
 * Source maps are left where they are, and not named any more: they are of the chunks before, and the server does not read them.
 */
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import vm from 'node:vm'
import { inAscii } from './one-byte.mjs'

const CHUNK = /^module\.exports=\[/
const MAP = /\n?\/\/# sourceMappingURL=\S*\s*$/

/**
 * Compacts every chunk below a folder; a second time changes nothing.
 * @param {string} folder
 */
export function compactChunks(folder) {
  /** By digest of its content. @type {Map<string, string>} */
  const first = new Map()
  for (const file of chunksBelow(folder)) {
    const before = fs.readFileSync(file, 'utf8')
    if (!CHUNK.test(before)) continue
    const code = before.replace(MAP, '\n')
    const digest = crypto.createHash('sha256').update(code).digest('hex')
    const same = first.get(digest)
    if (!same) first.set(digest, file)
    const after = same ? requiring(same, file) : asciiIfItCompiles(code)
    if (after !== before) fs.writeFileSync(file, after)
  }
}

const chunksBelow = (/** @type {string} */ folder) =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()

function requiring(/** @type {string} */ chunk, /** @type {string} */ from) {
  const way = path.relative(path.dirname(from), chunk).split(path.sep).join('/')
  return `module.exports=require(${JSON.stringify(way.startsWith('.') ? way : `./${way}`)})\n`
}

function asciiIfItCompiles(/** @type {string} */ code) {
  const ascii = inAscii(code)
  try {
    if (ascii !== code) vm.compileFunction(ascii, ['module', 'exports', 'require'])
    return ascii
  } catch {
    return code
  }
}
