/** What a command about one file was given on its command line. */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { LaunchFault } from './progress.mjs'

/**
 * The one file and the flags; throws a LaunchFault that shows `usage` for anything else.
 * @template {string} T
 * @param {readonly T[]} names
 * @param {string} usage
 * @param {string[]} [args]
 * @returns {{ file: string, flags: Partial<Record<T, boolean>> }} the file's absolute path, from where npm was called
 */
export function fileArgument(names, usage, args = process.argv.slice(2)) {
  const options = Object.fromEntries(names.map((name) => [name, /** @type {const} */ ({ type: 'boolean' })]))
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [file, ...more] = positionals
    if (file && more.length === 0) {
      const flags = /** @type {Partial<Record<T, boolean>>} */ (values)
      return { file: path.resolve(process.env.INIT_CWD || '.', file), flags }
    }
  } catch {
    // Falls through: an option that is not known.
  }
  throw new LaunchFault(`Name one file: ${usage}`)
}
