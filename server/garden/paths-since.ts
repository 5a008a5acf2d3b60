import type { GitRepository } from '#server/ports/git-repository.ts'

type Between = { since: string; head: string; most?: number }

/**
 * The paths in which `head` differs from `since`, and how many commits lie between; null when `since` is not on the branch before `head`, or further
 * back than `most`.
 */
export async function pathsSince(
  garden: Pick<GitRepository, 'log' | 'changedPaths'>,
  { since, head, most = Number.POSITIVE_INFINITY }: Between,
): Promise<{ paths: string[]; commits: number } | null> {
  if (since === head) return { paths: [], commits: 0 }
  const commits = await garden.log({ from: head, until: since, limit: most })
  if (!commits.some(({ parents }) => parents.includes(since))) return null
  const changes = await garden.changedPaths(head, since)
  return { paths: changes.map(({ path }) => path), commits: commits.length }
}
