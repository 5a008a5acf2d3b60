import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createInflate } from 'node:zlib'
import { isAbsent, makeFolder, syncFolder } from '#server/adapters/file-system/durable-file.ts'
import { withFileLock } from '#server/adapters/file-system/file-lock.ts'
import { isAlive } from '#server/launch/process-identity.mjs'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { readBranch } from './branch-file.ts'
import { stagingOf } from './git-objects.ts'

/**
 * The first making of a repository: beside its place, and renamed when it has its branch. A kill leaves a folder
 * `<place>.new-<process>-…`, which the next import removes once that process is gone.
 *
 * How it fails: a repository in its place without a branch is either what an interrupted import of an earlier version left, which
 * has no commit with a parent and is made again, or a garden that lost its branch file, which is never replaced.
 */

/** Runs `make` on a fresh folder and puts that in place; false when another import was faster. */
export async function makeBeside(
  gitdir: string,
  make: (fresh: string) => Promise<unknown>,
): Promise<boolean> {
  const parent = dirname(gitdir)
  await makeFolder(parent)
  await removeLeftovers(gitdir)
  const fresh = `${gitdir}.new-${process.pid}-${randomUUID()}`
  try {
    await mkdir(fresh)
    await make(fresh)
    return await withFileLock({ path: `${gitdir}.lock`, staging: stagingOf(fresh) }, async () => {
      if ((await readBranch(gitdir)) !== null) return false
      await removeHalfMade(gitdir)
      await rename(fresh, gitdir)
      await syncFolder(parent)
      return true
    })
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

async function removeLeftovers(gitdir: string): Promise<void> {
  const prefix = `${basename(gitdir)}.new-`
  for (const name of await readdir(dirname(gitdir))) {
    if (!name.startsWith(prefix) || isAlive(Number.parseInt(name.slice(prefix.length), 10))) continue
    await rm(join(dirname(gitdir), name), { recursive: true, force: true })
  }
}

async function removeHalfMade(gitdir: string): Promise<void> {
  const there = await stat(gitdir).catch(() => null)
  if (!there) return
  if (await hasHistory(gitdir)) {
    throw new StorageUnavailable(
      `${gitdir} has commits but no branch: restore it (npm run repair-garden) instead of making it again`,
    )
  }
  await rm(gitdir, { recursive: true, force: true })
}

/** True when a commit here has a parent, or git has packed what is here. */
async function hasHistory(gitdir: string): Promise<boolean> {
  const objects = join(gitdir, 'objects')
  const names = async (folder: string) =>
    readdir(folder).catch((error) => {
      if (isAbsent(error)) return []
      throw error
    })
  if ((await names(join(objects, 'pack'))).length > 0) return true
  for (const folder of await names(objects)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue
    for (const name of await names(join(objects, folder))) {
      if (await isCommitWithParent(join(objects, folder, name))) return true
    }
  }
  return false
}

/** `commit <size>\0tree <id>\nparent …`: the beginning of the object is enough. */
async function isCommitWithParent(path: string): Promise<boolean> {
  const stream = createReadStream(path).pipe(createInflate())
  try {
    for await (const chunk of stream) return /^commit \d+\0tree [0-9a-f]{40}\nparent /.test(String(chunk))
  } catch {
    // What is torn is no object.
  }
  return false
}
