import { takingTurns } from '#server/garden/in-time.ts'
import type { FileHistory, FileHistoryOptions, FileVersion } from '#server/ports/git-repository.ts'
import { renamedFrom } from './file-renames.ts'
import type { Commit, GitObjects } from './git-objects.ts'
import { fileAt } from './git-trees.ts'

type Bounds = FileHistoryOptions & { from: string }

/**
 * The commits that changed one file. Each step costs a commit and the folders on the way to the file, which are
 * cached by id; a folder that did not change is not read again. Where the file came to be, what the commit removed is looked at once. Others have
 * their turn between commits, since objects that are cached are read without one.
 */
export async function fileHistory(objects: GitObjects, start: string, bounds: Bounds): Promise<FileHistory> {
  const { from, limit, withinMs } = bounds
  const until = performance.now() + withinMs
  const turn = takingTurns()
  const versions: FileVersion[] = []
  let path = start
  let commit = await objects.commit(from)
  let oid = await fileAt(objects, commit.tree, path)
  for (;;) {
    const parent = await parentWith(objects, commit, { path, oid })
    let before =
      parent === null ? null : parent.tree === commit.tree ? oid : await fileAt(objects, parent.tree, path)
    if (before !== oid) {
      const { tree: _, ...shown } = commit
      const renamed = before === null ? await followed(objects, path, { commit, bounds }) : null
      versions.push({ commit: shown, oid, path, renamed })
      if (parent && renamed) {
        path = renamed.path
        before = await fileAt(objects, parent.tree, path)
      }
    }
    if (parent === null) return { versions, next: null }
    if (versions.length >= limit || performance.now() >= until) return { versions, next: parent.oid }
    await turn()
    commit = parent
    oid = before
  }
}

/** The parent by which the history of a file goes on: of a merge one that has the file as the merge has it, otherwise the first. */
async function parentWith(
  objects: GitObjects,
  { parents }: Commit,
  { path, oid }: { path: string; oid: string | null },
): Promise<Commit | null> {
  const commits = await Promise.all(parents.map((parent) => objects.commit(parent)))
  for (const commit of parents.length > 1 ? commits : [])
    if ((await fileAt(objects, commit.tree, path)) === oid) return commit
  return commits[0] ?? null
}

/** The rename that history goes on through, if this commit made one that may be followed. */
async function followed(
  objects: GitObjects,
  path: string,
  { commit, bounds: { follows } }: { commit: Commit; bounds: Bounds },
): Promise<FileVersion['renamed']> {
  if (!follows) return null
  const rename = await renamedFrom(objects, path, commit)
  return rename && (await follows(rename)) ? rename : null
}
