import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  isAbsent,
  makeFolder,
  renameInto,
  stage,
  syncFolder,
} from '#server/adapters/file-system/durable-file.ts'
import { withFileLock } from '#server/adapters/file-system/file-lock.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { isGitAtWork } from './git-at-work.ts'
import { stagingOf } from './git-objects.ts'

/**
 * The one branch, moved by compare-and-set under `refs/heads/main.lock`, the lock that git itself takes: git's own commands
 * keep out while it is held, and we while they hold it. A lock left by a killed process is taken over (see file-lock); one of a git
 * that is still at work never.
 */
export const BRANCH = 'refs/heads/main'
const HEX = /^[0-9a-f]{40}$/

/** A few bytes, asked for with almost every request: read at once. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

function packed(gitdir: string): string | null {
  const lines = textOf(join(gitdir, 'packed-refs'))?.split('\n') ?? []
  return lines.find((line) => line.endsWith(` ${BRANCH}`))?.split(' ')[0] ?? null
}

/** The commit the branch stands on; null only when there is no branch. */
export async function readBranch(gitdir: string): Promise<string | null> {
  try {
    const oid = textOf(join(gitdir, BRANCH))?.trim() ?? packed(gitdir)
    if (oid === null || HEX.test(oid)) return oid
    throw new Error('the branch file holds no commit id')
  } catch (error) {
    throw new StorageUnavailable('the branch of the repository could not be read', { cause: error })
  }
}

/** Moves the branch from `expected` (null: it must not exist) to `next`; false when it stands elsewhere. */
export async function updateBranchFile(
  gitdir: string,
  expected: string | null,
  next: string,
): Promise<boolean> {
  const folder = join(gitdir, 'refs', 'heads')
  const staging = stagingOf(gitdir)
  try {
    await makeFolder(folder)
    const lock = { path: join(gitdir, `${BRANCH}.lock`), staging, isInUse: () => isGitAtWork(gitdir) }
    return await withFileLock(lock, async () => {
      if ((await readBranch(gitdir)) !== expected) return false
      await renameInto(await stage(staging, `${next}\n`), join(gitdir, BRANCH))
      await syncFolder(folder)
      if ((await readBranch(gitdir)) === next) return true
      throw new Error('the branch does not stand where it was moved')
    })
  } catch (error) {
    if (error instanceof StorageUnavailable) throw error
    throw new StorageUnavailable('the branch of the repository could not be moved', { cause: error })
  }
}
