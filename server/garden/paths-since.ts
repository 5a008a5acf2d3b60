import type { GitRepository } from '#server/ports/git-repository.ts'

type Between = { since: string; head: string; most?: number }

/**
 * The paths that the commits after `since` up to `head` touch, each once, and how many commits those are; null when `since` is not on the branch
 * before `head`, or further back than `most`.
 */
export async function pathsSince(
  garden: Pick<GitRepository, 'log' | 'changedPaths'>,
  { since, head, most = Number.POSITIVE_INFINITY }: Between,
): Promise<{ paths: string[]; commits: number } | null> {
  if (since === head) return { paths: [], commits: 0 }
  const commits = await garden.log({ from: head, until: since, limit: most })
  if (commits.at(-1)?.parents[0] !== since) return null
  const changes = await Promise.all(commits.map(({ oid }) => garden.changedPaths(oid)))
  return { paths: [...new Set(changes.flat().map(({ path }) => path))], commits: commits.length }
}
