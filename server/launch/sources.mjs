/** The source files of a checkout, this one or another: what the checks and figures of the house read. */
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './checkout.mjs'

const FOLDERS = ['app', 'src', 'server', 'worker', 'prisma', 'e2e']
const SKIPPED = ['prisma/generated', 'prisma/seed/garden']

/** Whether a file belongs to the tests and not to the product. */
export const isTest = (/** @type {string} */ file) => /\.(test|spec)\.tsx?$|\/testing\/|^e2e\//.test(file)

/**
 * Files of the house's folders and of its root with one of these endings, sorted.
 * @param {string[]} endings with their dot
 * @param {string} [base] a checkout (this one by default)
 * @returns {string[]} paths relative to the checkout, with forward slashes
 */
export function sourceFiles(endings, base = ROOT) {
  const isSource = (/** @type {string} */ name) => endings.some((ending) => name.endsWith(ending))
  const atRoot = fs
    .readdirSync(base, { withFileTypes: true })
    .filter((entry) => entry.isFile() && isSource(entry.name) && entry.name !== 'next-env.d.ts')
    .map((entry) => entry.name)
  return [...atRoot, ...FOLDERS.flatMap((folder) => filesBelow(base, folder)).filter(isSource)].sort()
}

/** @returns {string[]} */
function filesBelow(/** @type {string} */ base, /** @type {string} */ folder) {
  if (SKIPPED.includes(folder) || !fs.existsSync(path.join(base, folder))) return []
  return fs.readdirSync(path.join(base, folder), { withFileTypes: true }).flatMap((entry) => {
    const relative = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesBelow(base, relative) : [relative]
  })
}
