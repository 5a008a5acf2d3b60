import type { Refusal } from '#domain/kernel/errors.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { ProposalRow } from './proposal-row.ts'

const PENDING = proposalMachine.events.create.to

/** Why nothing may be made of a proposal but its rejection while its agent works on changes ([proposals#requesting-changes]); null when it does not. */
export const changesAwaited = (
  row: Pick<ProposalRow, 'status' | 'awaiting_changes_since' | 'agent_slug'>,
): Refusal | null =>
  row.status === PENDING && row.awaiting_changes_since
    ? {
        code: 'INVALID_TRANSITION',
        message: `Changes were requested from ${row.agent_slug}. The proposal can be decided again when the agent has answered or its run has ended.`,
        details: { from: row.status, allowed: ['reject', 'extend'] },
      }
    : null
