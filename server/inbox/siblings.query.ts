import sql, { empty } from 'sql-template-tag'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { state } from '#server/ledger/states.ts'
import type { ProposalRow } from '#server/proposals/proposal-row.ts'

/** The other proposals of the same run that wait for a decision. */
export async function pendingSiblings(
  db: Db,
  { run_id, proposal_id, agent_slug }: Pick<ProposalRow, 'run_id' | 'proposal_id' | 'agent_slug'>,
  lock: 'FOR UPDATE' | 'none',
): Promise<ProposalRow[]> {
  if (!run_id) return []
  const { rows } = await db.query<ProposalRow>(sql`SELECT * FROM proposal WHERE run_id = ${run_id}
    AND agent_slug = ${agent_slug} AND proposal_id <> ${proposal_id} AND status = ${state(proposalMachine, 'PENDING')}
    AND awaiting_changes_since IS NULL AND expires_at > clock_timestamp()
    ORDER BY proposal_id ${lock === 'FOR UPDATE' ? sql`FOR UPDATE` : empty}`)
  return rows
}
