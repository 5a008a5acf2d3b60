import { proposalMachine } from './proposal.machine.ts'

const APPLIED = proposalMachine.events.applied.to

/** A commit that names a proposal makes it applied, whatever its history says ([proposals#I-P1]). */
export function withCommit<Row extends { status: string; git_commit: string | null }>(
  row: Row,
  commits: readonly string[],
): Row & { status: string; error?: unknown } {
  const [commit] = commits
  if (commit === undefined || (row.status === APPLIED && commits.includes(row.git_commit ?? ''))) return row
  return { ...row, status: APPLIED, git_commit: commit, error: null }
}
