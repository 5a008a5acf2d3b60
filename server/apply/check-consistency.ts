import sql from 'sql-template-tag'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { commitsByProposal } from './trailer-index.ts'

export type Inconsistency = { proposalId: string; problem: string; commits: string[] }

/** What is found of an APPLIED proposal; without commits its work is not on the branch. */
export const WITHOUT_ITS_COMMIT = 'APPLIED without exactly its commit'

/** States in which a commit may be ahead of its row for a moment, or has caught up since. */
const { take, applied: done } = proposalMachine.events
const UNDER_WAY: readonly string[] = [...(take.from ?? []), take.to, done.to]

type Known = Row<'proposal', (typeof KNOWN)[number]>
const KNOWN = ['proposal_id', 'status', 'git_commit'] as const

/**
 * [proposals#I-P1] in both directions: APPLIED exactly when one commit of the branch carries the id. It only reads: a FAILED one with a
 * commit is told, and a person's retry or force finds the trailer ([proposals#P11], [proposals#P12]).
 */
export async function checkConsistency({
  db,
  garden,
}: Pick<Services, 'db' | 'garden'>): Promise<Inconsistency[]> {
  // Rows are read first: a commit made after that belongs to a row that is not APPLIED here, but under way below.
  const { rows } = await db.query<Known>(sql`SELECT ${columns('proposal', 'p', KNOWN)} FROM proposal p
    WHERE p.status = ${state(proposalMachine, 'APPLIED')}`)
  const commits = await commitsByProposal(garden, await garden.head())
  const applied = new Map(rows.map((row) => [row.proposal_id, row]))
  const found: Inconsistency[] = []
  for (const row of rows) {
    const own = commits.get(row.proposal_id) ?? []
    if (own.length !== 1 || own[0] !== row.git_commit)
      found.push({
        proposalId: row.proposal_id,
        problem: WITHOUT_ITS_COMMIT,
        commits: [...own],
      })
  }
  const others = [...commits.keys()].filter((id) => !applied.has(id))
  const { rows: behind } = await db.query<Known>(
    sql`SELECT ${columns('proposal', 'p', KNOWN)} FROM proposal p WHERE p.proposal_id = ANY(${others}::text[])`,
  )
  const known = new Map(behind.map((row) => [row.proposal_id, row]))
  for (const id of others) {
    const row = known.get(id)
    const own = [...(commits.get(id) ?? [])]
    if (!row) found.push({ proposalId: id, problem: 'a commit without a proposal', commits: own })
    else if (!UNDER_WAY.includes(row.status))
      found.push({ proposalId: id, problem: `${row.status} with a commit`, commits: own })
  }
  return found
}
