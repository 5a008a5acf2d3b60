import { existsSync } from 'node:fs'
import { join } from 'node:path'
import git from 'isomorphic-git'
import { makeFolder } from '#server/adapters/file-system/durable-file.ts'
import { BRANCH, readBranch, updateBranchFile } from '#server/adapters/git-repository/branch-file.ts'
import { GitObjects, stagingOf, wholeFiles } from '#server/adapters/git-repository/git-objects.ts'
import { type Reachable, reachableFrom } from '#server/adapters/git-repository/reachable-objects.ts'
import { type GitRemote, type PushOutcome, pushFault } from '#server/ports/git-remote.ts'

/**
 * A bare repository in a directory of this machine, or one that is mounted here. No git is needed: objects that the remote lacks are
 * written one by one, each whole and flushed, and the branch moves last, by compare-and-set under git's own lock. Killed before that, the
 * objects are garbage and the remote's branch is as it was. Hooks of that repository do not run.
 */
export function directoryRemote(gitdir: string, target: string): GitRemote {
  return {
    address: target,
    async push(commit, signal) {
      try {
        return await pushTo(target, { gitdir, commit, signal })
      } catch (error) {
        if (signal.aborted) return pushFault('timeout', 'Copying the objects took too long.')
        const code = (error as NodeJS.ErrnoException).code
        if (code === 'EACCES' || code === 'EROFS')
          return pushFault('refused', 'The directory is not writable.')
        return pushFault('failed', (error as Error).message)
      }
    },
  }
}

type Push = { gitdir: string; commit: string; signal: AbortSignal }

async function pushTo(target: string, { gitdir, commit, signal }: Push): Promise<PushOutcome> {
  if (!(await isBareRepository(target))) return pushFault('not_found', 'There is no bare git repository.')
  const there = await readBranch(target)
  if (there === commit) return { ok: true }
  const objects = new GitObjects(gitdir)
  if (there !== null && !(await isAncestor(objects, there, commit)))
    return pushFault(
      'diverged',
      `The branch ${BRANCH} of the remote has commits that the garden does not have.`,
    )
  await makeFolder(stagingOf(target))
  const into = { fs: wholeFiles(target), gitdir: target }
  for await (const { kind, oid } of reachableFrom(objects, commitOf(commit), {
    seen: await seenBy(objects, there),
  })) {
    signal.throwIfAborted()
    const { object } = await git.readObject({ fs: wholeFiles(gitdir), gitdir, oid, format: 'content' })
    await git.writeObject({ ...into, type: kind, object: object as Uint8Array, format: 'content' })
  }
  if (await updateBranchFile(target, there, commit)) return { ok: true }
  return pushFault('failed', 'The branch of the remote moved during the push.')
}

/** With files as objects and references, as every git reads them; a work tree would not follow its branch. */
async function isBareRepository(target: string): Promise<boolean> {
  if (!['objects', 'refs', 'HEAD', 'config'].every((name) => existsSync(join(target, name)))) return false
  const setting = (path: string) => git.getConfig({ fs: wholeFiles(target), gitdir: target, path })
  const formats = await Promise.all(['extensions.objectformat', 'extensions.refstorage'].map(setting))
  return (await setting('core.bare')) === true && formats.every((format) => format === undefined)
}

const commitOf = (oid: string): Reachable => ({ kind: 'commit', oid })

/** Whether `commit` stands on `other`; false as well when the garden does not know it. */
async function isAncestor(objects: GitObjects, other: string, commit: string): Promise<boolean> {
  const [seen, open] = [new Set<string>(), [commit]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === other) return true
    if (seen.has(next)) continue
    seen.add(next)
    open.push(...(await objects.commit(next)).parents)
  }
  return false
}

/** What the remote has with the commit on which it stands: that commit, its history and its files. */
async function seenBy(objects: GitObjects, there: string | null): Promise<Set<string>> {
  const seen = new Set<string>()
  if (there === null) return seen
  const { tree } = await objects.commit(there)
  for await (const _ of reachableFrom(objects, { kind: 'tree', oid: tree }, { seen }));
  return seen.add(there)
}
