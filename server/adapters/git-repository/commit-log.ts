/**
 * The history of a commit, newest first: no commit comes before one that stands on it.
 *
 * The engine's own history is a line, and is read as one. Somebody who pulls and pushes may bring a merge, whose first parent is then their commit
 * and not the engine's: all sides of a merge belong to the branch, so from the first one on the whole past is read.
 */
import { takingTurns } from '#server/garden/in-time.ts'
import type { Commit, GitObjects } from './git-objects.ts'

type Bounds = { from: string; until?: string | undefined; limit?: number | undefined }

/** Commits from `from` back to what `until` stands on, that included; everything where `from` does not stand on it. At most `limit`. */
export async function commitLog(
  objects: Pick<GitObjects, 'commit'>,
  { from, until, limit = Number.POSITIVE_INFINITY }: Bounds,
): Promise<Commit[]> {
  const line: Commit[] = []
  for (let at: string | undefined = from; at !== undefined && at !== until && line.length < limit; ) {
    const commit: Commit = await objects.commit(at)
    line.push(commit)
    if (commit.parents.length > 1 && line.length < limit) {
      const past = await pastOf(from, (oid) => objects.commit(oid))
      const isNew = await beyond(objects, past, until)
      return past.filter(isNew).slice(0, limit)
    }
    at = commit.parents[0]
  }
  return line
}

/** Which commits of this past `until` does not stand on. */
async function beyond(
  objects: Pick<GitObjects, 'commit'>,
  past: readonly Commit[],
  until: string | undefined,
): Promise<(commit: Commit) => boolean> {
  if (until === undefined || !past.some(({ oid }) => oid === until)) return () => true
  const known = new Set((await pastOf(until, (oid) => objects.commit(oid))).map(({ oid }) => oid))
  return ({ oid }) => !known.has(oid)
}

/** The commit and all that it stands on, newest first, along all parents. What `read` gives null for is left out, with what lies behind it alone. */
export async function pastOf(from: string, read: (oid: string) => Promise<Commit | null>): Promise<Commit[]> {
  const turn = takingTurns()
  const seen = new Set<string>()
  const oldestFirst: Commit[] = []
  const open: { commit: Commit; parents: string[] }[] = []
  const enter = async (oid: string) => {
    if (seen.has(oid)) return
    seen.add(oid)
    const commit = await read(oid)
    if (commit) open.push({ commit, parents: [...commit.parents] })
  }
  await enter(from)
  for (let at = open.at(-1); at !== undefined; at = open.at(-1)) {
    const parent = at.parents.pop()
    if (parent !== undefined) await enter(parent)
    else {
      oldestFirst.push(at.commit)
      open.pop()
    }
    await turn()
  }
  return oldestFirst.reverse()
}
