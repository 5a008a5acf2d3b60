import sql, { type Sql } from 'sql-template-tag'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { state } from '#server/ledger/states.ts'
import type { ProposalRow } from '#server/proposals/proposal-row.ts'

type Whose = Pick<ProposalRow, 'run_id' | 'proposal_id' | 'agent_slug'>

/** The other proposals of the same run that wait for a decision. */
const siblingsOf = ({ run_id, proposal_id, agent_slug }: Whose): Sql => sql`proposal WHERE run_id = ${run_id}
    AND agent_slug = ${agent_slug} AND proposal_id <> ${proposal_id} AND status = ${state(proposalMachine, 'PENDING')}
    AND awaiting_changes_since IS NULL AND expires_at > clock_timestamp()`

/** Locked, as they are about to change. */
export async function pendingSiblings(tx: Db, of: Whose): Promise<ProposalRow[]> {
  const { rows } = await tx.query<ProposalRow>(
    sql`SELECT * FROM ${siblingsOf(of)} ORDER BY proposal_id FOR UPDATE`,
  )
  return rows
}

export async function countPendingSiblings(db: Db, of: Whose): Promise<number> {
  const { rows } = await db.query<{ n: number }>(sql`SELECT count(*)::int AS n FROM ${siblingsOf(of)}`)
  return rows[0]?.n ?? 0
}
