/**
 * The files that make up the garden's repository, for a copy of it: objects, packs and references. Settings and hooks are the
 * owner's and not part of a copy.
 *
 * The branch is read while its lock is held, so that the caller can take a snapshot of the ledger at which it stands exactly
 * there. Objects only become more; only the owner's own `git gc` replaces them, which the caller sees by listing again.
 */
import { createWriteStream } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Refused } from '#domain/kernel/errors.ts'
import { makeFolder, syncFolder } from '#server/adapters/file-system/durable-file.ts'
import { withFileLock } from '#server/adapters/file-system/file-lock.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { BRANCH, readBranch } from './branch-file.ts'
import { stagingOf } from './git-objects.ts'

/** Names that a copy may hold; no component of a reference begins with a dot or ends with `.lock`. */
const OBJECT = /^objects\/([0-9a-f]{2}\/[0-9a-f]{38}|pack\/pack-[0-9a-f]{40,64}\.(pack|idx))$/
const REFERENCE = /^(packed-refs|refs(\/(?!\.)(?!@$)[^/\\\p{Cc} ~^:?*[]+(?<!\.lock))+)$/u

/** Runs `work` while nobody moves the branch; it is given the commit on which the branch stands. */
export function whileBranchStands<T>(gitdir: string, work: (head: string) => Promise<T>): Promise<T> {
  const lock = { path: join(gitdir, `${BRANCH}.lock`), staging: stagingOf(gitdir) }
  return withFileLock(lock, async () => {
    const head = await readBranch(gitdir)
    if (head === null) throw new StorageUnavailable('the repository has no commit yet')
    return await work(head)
  })
}

/** Names of all objects, packs and references below the repository; the branch itself is left out. */
export async function repositoryFiles(gitdir: string): Promise<string[]> {
  const names = await readdir(gitdir, { recursive: true, withFileTypes: true })
  return names
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(gitdir.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter((name) => name !== BRANCH && (OBJECT.test(name) || REFERENCE.test(name)))
    .sort()
}

/** Begins an empty bare repository. */
export async function makeRepository(gitdir: string): Promise<void> {
  await makeFolder(stagingOf(gitdir))
  for (const folder of ['objects', 'refs/heads']) await makeFolder(join(gitdir, folder))
  const settings = '[core]\n\trepositoryformatversion = 0\n\tfilemode = false\n\tbare = true\n'
  await writeFile(join(gitdir, 'config'), settings)
  await writeFile(join(gitdir, 'HEAD'), `ref: ${BRANCH}\n`)
}

/** Writes one file of a copy; a name that is none of a repository's objects and references is refused. */
export async function receiveRepositoryFile(
  gitdir: string,
  name: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  if (!OBJECT.test(name) && !REFERENCE.test(name))
    throw new Refused('PATH_NOT_ALLOWED', `${name} is no object and no reference of a repository`)
  const path = join(gitdir, name)
  await makeFolder(dirname(path))
  await pipeline(chunks, createWriteStream(path, { flags: 'wx', flush: true }))
  await syncFolder(dirname(path))
}
