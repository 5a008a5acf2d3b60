import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sweepStaging } from '#server/adapters/file-system/durable-file.ts'
import { removeStaleLock } from '#server/adapters/file-system/file-lock.ts'
import { isGitAtWork } from './git-at-work.ts'
import { stagingOf } from './git-objects.ts'

/**
 * What ended processes left in the repository, removed so that it blocks nobody.
 *
 * - Files in the staging folder, which is the console's alone: those of this host whose process is gone, after 30 s; any other after a day.
 * - `*.lock` beside git's own files. A lock of the console names its process, and goes when that process is certainly dead. Any other is a
 *   git's, a person's own: it goes after 30 s, unless a living git is at work in this repository. Both are looked at again under a second
 *   lock before they go, so that nobody's fresh lock is removed.
 *
 * What cannot be looked at, as another account's lock may not be, stays for its owner and keeps nothing else from being removed.
 */
export async function sweepRepository(
  gitdir: string,
  onFault: (error: unknown) => void = () => {},
): Promise<string[]> {
  const staging = stagingOf(gitdir)
  const unlessFault = <T>(work: Promise<T>, otherwise: T): Promise<T> =>
    work.catch((error) => {
      onFault(error)
      return otherwise
    })
  const staged = await unlessFault(sweepStaging(staging), [])
  const removed = staged.map((name) => `bloom/staging/${name}`)
  for (const name of await unlessFault(lockNames(gitdir), [])) {
    const lock = { path: join(gitdir, name), staging, isInUse: () => isGitAtWork(gitdir) }
    if (await unlessFault(removeStaleLock(lock), false)) removed.push(name)
  }
  return removed
}

/** Locks at the top (`HEAD.lock`, `packed-refs.lock`, `index.lock` …) and of references. */
async function lockNames(gitdir: string): Promise<string[]> {
  const below = async (folder: string, recursive: boolean) =>
    (await readdir(join(gitdir, folder), { recursive, withFileTypes: true }))
      .filter((entry) => entry.isFile() && entry.name.endsWith('.lock'))
      .map((entry) => join(entry.parentPath, entry.name).slice(gitdir.length + 1))
  return [...(await below('', false)), ...(await below('refs', true))]
}
