/**
 * Whether the branch still has what the ledger says was applied: a branch that was rewound or replaced lacks commits of APPLIED
 * proposals ([proposals#I-P1]).
 *
 * Comparing ledger and branch reads both whole, so it happens when there is a reason: at the first look, when the branch did not
 * merely grow since the last one, while something was found, and every hour. Between those a look costs one read of the branch.
 */
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { Services } from '#server/services.ts'
import { checkConsistency, type Inconsistency, WITHOUT_ITS_COMMIT } from './check-consistency.ts'
import { commitsByProposal, rewritesOf } from './trailer-index.ts'

type Parts = Pick<Services, 'db' | 'garden'>
type Look = { rewrites: number; at: number; found: Inconsistency[] }

const EVERY_MS = 3_600_000
const looks = new WeakMap<GitRepository, Look>()

/** What ledger and branch disagree about. Throws what the repository throws when it does not answer. */
export async function gardenInconsistencies(parts: Parts): Promise<readonly Inconsistency[]> {
  await commitsByProposal(parts.garden, await parts.garden.head())
  const last = looks.get(parts.garden)
  const rewrites = rewritesOf(parts.garden)
  const isCurrent =
    last?.rewrites === rewrites && last.found.length === 0 && performance.now() - last.at < EVERY_MS
  if (isCurrent) return last.found
  const found = await checkConsistency(parts)
  looks.set(parts.garden, { rewrites, at: performance.now(), found })
  return found
}

/** Those whose commit is on the branch no more: work that was done and is gone. */
export const lostCommits = (found: readonly Inconsistency[]): Inconsistency[] =>
  found.filter(({ problem, commits }) => problem === WITHOUT_ITS_COMMIT && commits.length === 0)
