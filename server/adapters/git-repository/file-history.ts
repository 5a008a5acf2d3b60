import { takingTurns } from '#server/garden/in-time.ts'
import type { FileHistory } from '#server/ports/git-repository.ts'
import type { GitObjects } from './git-objects.ts'
import { fileAt } from './git-trees.ts'

type Bounds = { from: string; limit: number; withinMs: number }

/**
 * The commits in which one file differs from its first parent. Each step costs a commit and the folders on the way to the file, which are
 * cached by id; a folder that did not change is not read again. Others have their turn between commits, since objects that are
 * cached are read without one.
 */
export async function fileHistory(
  objects: GitObjects,
  path: string,
  { from, limit, withinMs }: Bounds,
): Promise<FileHistory> {
  const until = performance.now() + withinMs
  const turn = takingTurns()
  const versions: FileHistory['versions'] = []
  let commit = await objects.commit(from)
  let oid = await fileAt(objects, commit.tree, path)
  for (;;) {
    const parent = commit.parents[0] === undefined ? null : await objects.commit(commit.parents[0])
    const before =
      parent === null ? null : parent.tree === commit.tree ? oid : await fileAt(objects, parent.tree, path)
    if (before !== oid) {
      const { tree: _, ...shown } = commit
      versions.push({ commit: shown, oid })
    }
    if (parent === null) return { versions, next: null }
    if (versions.length >= limit || performance.now() >= until) return { versions, next: parent.oid }
    await turn()
    commit = parent
    oid = before
  }
}
