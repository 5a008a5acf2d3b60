import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** In the environment of every git that the console itself starts: it leaves the references of the repository alone, so it holds none of their locks. */
export const CONSOLE_GIT = { BLOOM_CONSOLE_GIT: '1' } as const
const MARK = `BLOOM_CONSOLE_GIT=${CONSOLE_GIT.BLOOM_CONSOLE_GIT}`

/**
 * Whether a process called `git` lives whose folder lies in the repository or around it, or whose arguments name it; the console's own
 * do not count. Only Linux tells; elsewhere the age of a lock alone decides.
 */
export async function isGitAtWork(gitdir: string): Promise<boolean> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  // The system tells a process's folder without links; its arguments are as somebody wrote them.
  const paths = { real: await realpath(gitdir).catch(() => gitdir), given: gitdir }
  for (const pid of pids) if (await worksIn(`/proc/${pid}`, paths)) return true
  return false
}

async function worksIn(process: string, { real, given }: { real: string; given: string }): Promise<boolean> {
  const name = await readFile(join(process, 'comm'), 'utf8').catch(() => '')
  if (!/^git(-|\n|$)/.test(name)) return false
  const folder = await readlink(join(process, 'cwd')).catch(() => '')
  const words = await wordsOf(join(process, 'cmdline'))
  const isHere =
    `${folder}/`.startsWith(`${real}/`) ||
    folder === dirname(real) ||
    words.some((word) => word.includes(real) || word.includes(given))
  return isHere && !(await wordsOf(join(process, 'environ'))).includes(MARK)
}

const wordsOf = async (file: string): Promise<string[]> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\0')
