import { isMarkdown, isNotePath } from '#domain/garden/garden-path.ts'
import { ALIKE, similarity } from '#domain/garden/similarity.rules.ts'
import { takingTurns } from '#server/garden/in-time.ts'
import type { Rename } from '#server/ports/git-repository.ts'
import type { Commit, GitObjects } from './git-objects.ts'
import { differences, fileAt } from './git-trees.ts'

/** Removed notes whose texts are compared, those of the same name first; git gives up at as many, too. */
const MOST_COMPARED = 50

type Note = { path: string; oid: string }

/**
 * Where the note at this path stood before a commit, found as git does: among the notes that the commit removed, the one with the same blob, else
 * the one whose text is the most similar, if it is half the same. Of equals the one that kept its name. A commit without parent renamed nothing.
 */
export async function renamedFrom(objects: GitObjects, path: string, commit: Commit): Promise<Rename | null> {
  const parent = commit.parents[0]
  if (parent === undefined) return null
  const before = (await objects.commit(parent)).tree
  const oid = await fileAt(objects, commit.tree, path)
  if (oid === null || (await fileAt(objects, before, path)) !== null) return null
  const removed = await removedNotes(objects, [before, commit.tree], path)
  const found = removed.find((note) => note.oid === oid) ?? (await mostSimilar(objects, removed, oid))
  return found ? { path: found.path, by: commit.oid, revision: parent } : null
}

/** Those with the same name first, then in byte order. */
async function removedNotes(objects: GitObjects, trees: [string, string], path: string): Promise<Note[]> {
  const paths = (await differences(objects, trees))
    .filter((change) => change.kind === 'removed' && isMarkdown(change.path) && isNotePath(change.path))
    .map((change) => change.path)
  const named = Map.groupBy(paths, (one) => nameOf(one) === nameOf(path))
  const sorted = [...(named.get(true) ?? []), ...(named.get(false) ?? [])]
  const found = await Promise.all(
    sorted.map(async (one) => ({ path: one, oid: await fileAt(objects, trees[0], one) })),
  )
  return found.flatMap(({ path: one, oid }) => (oid === null ? [] : [{ path: one, oid }]))
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

async function mostSimilar(objects: GitObjects, removed: readonly Note[], oid: string): Promise<Note | null> {
  if (removed.length === 0) return null
  const { text } = await objects.blob(oid)
  const turn = takingTurns()
  let best: { note: Note | null; alike: number } = { note: null, alike: 0 }
  for (const note of removed.slice(0, MOST_COMPARED)) {
    const alike = similarity((await objects.blob(note.oid)).text, text)
    if (alike >= ALIKE && alike > best.alike) best = { note, alike }
    await turn()
  }
  return best.note
}
