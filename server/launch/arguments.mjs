/** What a command was given on its command line. */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { LaunchFault } from './progress.mjs'

/**
 * The flags of a command that takes nothing else; throws a LaunchFault that shows `usage` for anything else.
 * @template {string} T
 * @param {readonly T[]} names
 * @param {string} usage
 * @param {string[]} [args]
 * @returns {Partial<Record<T, boolean>>}
 */
export function flagArguments(names, usage, args = process.argv.slice(2)) {
  try {
    const { values } = parseArgs({ args, options: flagOptions(names) })
    return /** @type {Partial<Record<T, boolean>>} */ (values)
  } catch {
    throw new LaunchFault(`That is no option of it: ${usage}`)
  }
}

const flagOptions = (/** @type {readonly string[]} */ names) =>
  Object.fromEntries(names.map((name) => [name, /** @type {const} */ ({ type: 'boolean' })]))

/**
 * The one file and the flags; throws a LaunchFault that shows `usage` for anything else.
 * @template {string} T
 * @param {readonly T[]} names
 * @param {string} usage
 * @param {string[]} [args]
 * @returns {{ file: string, flags: Partial<Record<T, boolean>> }} the file's absolute path, from where npm was called
 */
export function fileArgument(names, usage, args = process.argv.slice(2)) {
  try {
    const { values, positionals } = parseArgs({ args, options: flagOptions(names), allowPositionals: true })
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
