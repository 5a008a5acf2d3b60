import fs from 'node:fs'
import path from 'node:path'

/**
 * How this program is started again, by a hook or as a service: by its launcher where it was unpacked from the archive, which finds a Node
 * by itself, else by this Node with its first file.
 */
export function ownProgram(): string[] {
  const main = fs.realpathSync(process.argv[1] ?? '')
  const launcher = path.join(path.dirname(main), '../bin/membridge')
  return fs.existsSync(launcher) ? [launcher] : [process.execPath, main]
}

/** A word as a shell takes it, whatever it holds. */
export const shellWord = (word: string): string =>
  /^[A-Za-z0-9_./:@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`
