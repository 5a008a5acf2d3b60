import fs from 'node:fs'
import path from 'node:path'

/**
 * How this program is started again, by a hook or as a service: by its launcher where it was unpacked from the archive, which finds a Node
 * by itself, else by this Node with its first file. A link `membridge` beside the versions is preferred to the version that it names, so that a
 * hook or unit runs the next one as soon as the link names that [edge#archive].
 */
export function ownProgram(): string[] {
  const main = fs.realpathSync(process.argv[1] ?? '')
  const root = path.join(path.dirname(main), '..')
  const launcher = path.join(root, 'bin/membridge')
  if (!fs.existsSync(launcher)) return [process.execPath, main]
  const stable = path.join(root, '../membridge/bin/membridge')
  return [realPath(stable) === realPath(launcher) ? stable : launcher]
}

function realPath(file: string): string | null {
  try {
    return fs.realpathSync(file)
  } catch {
    return null
  }
}
