/**
 * Groups of alike proposals among those that are pending, free of conflict and not snoozed ([proposals#alike]). Reads at most `MAX_EXAMINED` along the index of the review order,
 * whatever waits behind them; the number is then "at least".
 */

import sql from 'sql-template-tag'
import type { AlikeGroups, AlikeGroupView } from '#contracts/proposal-batch.contract.ts'
import { type AlikeGroup, type AlikeSubject, groupAlike } from '#domain/proposal/alike.rules.ts'
import { BATCH_LIMIT } from '#domain/proposal/batch.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { PROPOSAL_ORDERS } from './list-proposals.query.ts'
import { waitsForDecision } from './proposal-row.ts'

const MAX_EXAMINED = 500
/** Below this a proposal is free of conflict (`keep-review-order.ts`). */
const IN_CONFLICT = 2
const _PENDING = state(proposalMachine, proposalMachine.events.create.to)

type Found = Row<
  'proposal',
  | 'proposal_id'
  | 'summary'
  | 'agent_slug'
  | 'source_identity'
  | 'action'
  | 'target_type'
  | 'target_path'
  | 'tainted'
> & { citation_count: number; changes: AlikeSubject['changes'] }
type Subject = AlikeSubject & { row: Found }

/** SQL: JSON is cut apart in the ledger, so that no text of a change leaves it. */
export async function alikeProposals({ db }: Pick<Services, 'db'>): Promise<AlikeGroups> {
  const { rows } =
    await db.query<Found>(sql`SELECT p.proposal_id, p.summary, p.agent_slug, p.source_identity, p.action, p.target_type,
      p.target_path, p.tainted, jsonb_array_length(p.citations) AS citation_count,
      (SELECT coalesce(jsonb_agg(c - 'unified' - 'text'), '[]') FROM jsonb_array_elements(p.changes) AS e(c)) AS changes
    FROM proposal p WHERE ${waitsForDecision('p')} AND p.review_class < ${IN_CONFLICT}
    ORDER BY ${PROPOSAL_ORDERS.to_decide.order('p')} LIMIT ${MAX_EXAMINED + 1}`)
  const groups = groupAlike(rows.slice(0, MAX_EXAMINED).map(subjectOf))
  const count = groups.reduce((total, group) => total + group.members.length, 0)
  return { groups: groups.map(viewOf), alike: { count, exact: rows.length <= MAX_EXAMINED } }
}

const subjectOf = (row: Found): Subject => ({
  id: row.proposal_id,
  agent: row.agent_slug,
  source: row.source_identity,
  action: row.action,
  target: { type: row.target_type, path: row.target_path },
  changes: row.changes,
  citations: row.citation_count,
  tainted: row.tainted,
  row,
})

function viewOf({ members, ...group }: AlikeGroup<Subject>): AlikeGroupView {
  return {
    ...group,
    kinds: [...group.kinds],
    count: members.length,
    outliers: members.filter(({ outlier }) => outlier.length > 0).length,
    members: members.slice(0, BATCH_LIMIT).map(({ subject, outlier }) => ({
      proposal_id: subject.id,
      summary: subject.row.summary,
      path: subject.target.path,
      additions: subject.changes.reduce((total, { additions }) => total + additions, 0),
      deletions: subject.changes.reduce((total, { deletions }) => total + deletions, 0),
      outlier: [...outlier],
    })),
  }
}
