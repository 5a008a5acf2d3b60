import { readdir, readFile, readlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Whether a process called `git` lives whose folder lies in the repository or around it, or whose arguments name it. Only Linux tells;
 * elsewhere the age of a lock alone decides.
 */
export async function isGitAtWork(gitdir: string): Promise<boolean> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) if (await worksIn(`/proc/${pid}`, gitdir)) return true
  return false
}

async function worksIn(process: string, gitdir: string): Promise<boolean> {
  const name = await readFile(join(process, 'comm'), 'utf8').catch(() => '')
  if (!/^git(-|\n|$)/.test(name)) return false
  const folder = await readlink(join(process, 'cwd')).catch(() => '')
  const words = (await readFile(join(process, 'cmdline'), 'utf8').catch(() => '')).split('\0')
  return (
    `${folder}/`.startsWith(`${gitdir}/`) ||
    folder === dirname(gitdir) ||
    words.some((word) => word.includes(gitdir))
  )
}
