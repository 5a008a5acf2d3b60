/**
 * Digests over parts of the checkout, by which what is made out of it is known to be up to date.
 *
 * Two thousand files are looked at in each start, so the digest of a file that `stat` says is unchanged is taken from `.cache/digests.json`: size, inode, and
 * both its times, of which no program can set the second. A file that was changed just now is read again the next time, since it may be changed
 * once more within one tick of the file system's clock.
 *
 * How it fails: an index that cannot be read or written is as good as none; every file is read then.
 */
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { listFiles, ROOT } from './checkout.mjs'

const INDEX = path.join(ROOT, '.cache/digests.json')
const QUIET_MS = 2_000

const sha256 = (/** @type {crypto.BinaryLike} */ content) =>
  crypto.createHash('sha256').update(content).digest('hex')

/** @type {ReturnType<typeof openDigests> | undefined} */
let ofCheckout

/**
 * SHA-256 over the names and contents of the given files and folders.
 * @param {string[]} relativePaths
 * @param {(file: string) => boolean} [counts] which files count (all by default)
 * @returns {string} hex
 */
export function digestOf(relativePaths, counts = () => true) {
  ofCheckout ??= openDigests(INDEX)
  const { contentOf, save } = ofCheckout
  const files = relativePaths.flatMap(listFiles).filter(counts)
  const lines = files.map((file) => `${file}\0${contentOf(path.join(ROOT, file))}\0`)
  save()
  return sha256(lines.join(''))
}

/**
 * Digests of files, remembered in an index, in which files that are gone are forgotten.
 * @param {string} index
 * @returns {{ contentOf: (file: string) => string, save: () => void }} `contentOf` is the SHA-256 of what the file holds now
 */
export function openDigests(index) {
  const known = readIndex(index)
  let isNew = false
  return {
    contentOf(file) {
      const { size, ino, mtimeMs, ctimeMs } = fs.statSync(file)
      const mark = [size, ino, mtimeMs, ctimeMs].join(' ')
      const last = known.get(file)
      if (last?.mark === mark) return last.digest
      const digest = sha256(fs.readFileSync(file))
      if (Date.now() - Math.max(mtimeMs, ctimeMs) < QUIET_MS) return digest
      known.set(file, { mark, digest })
      isNew = true
      return digest
    },
    save() {
      if (isNew) writeIndex(index, known)
      isNew = false
    },
  }
}

/** @returns {Map<string, { mark: string, digest: string }>} */
function readIndex(index) {
  try {
    return new Map(JSON.parse(fs.readFileSync(index, 'utf8')))
  } catch {
    return new Map()
  }
}

function writeIndex(index, known) {
  const stage = `${index}.${process.pid}`
  try {
    fs.mkdirSync(path.dirname(index), { recursive: true })
    fs.writeFileSync(stage, JSON.stringify([...known].filter(([file]) => fs.existsSync(file))))
    fs.renameSync(stage, index)
  } catch {
    if (fs.existsSync(stage)) fs.rmSync(stage, { force: true })
  }
}
