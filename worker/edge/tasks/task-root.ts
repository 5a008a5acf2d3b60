import { realpath } from 'node:fs/promises'
import path from 'node:path'
import type { Host } from '../host.ts'
import { isPrivate } from './private-names.ts'

/**
 * The folder in which a task works and below which its context lies: that of its project, or null, and the task gets neither. A session that was started
 * in the home folder registers that as a project: the home, what is above it, and what programs keep there are nobody's project.
 */
export async function taskRoot(
  { home }: Pick<Host, 'home'>,
  registered: string | null,
): Promise<string | null> {
  if (registered === null) return null
  const root = await realpath(registered).catch(() => null)
  if (root === null) return null
  const realHome = await realpath(home).catch(() => path.resolve(home))
  if (isWithin(root, realHome)) return null
  if (!isWithin(realHome, root)) return root
  const [first = ''] = path.relative(realHome, root).split(path.sep)
  return isPrivate(first) ? null : root
}

const isWithin = (folder: string, inner: string): boolean => {
  const way = path.relative(folder, inner)
  return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
}
