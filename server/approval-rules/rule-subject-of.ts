import type { RuleSubject } from '#domain/approval-rule/rule-subject.ts'
import type { NewProposal } from '#server/proposals/create-proposal.ts'
import {
  madeFrom,
  type ProposalRow,
  type Relations,
  type StoredChange,
} from '#server/proposals/proposal-row.ts'

type Stored = Pick<
  ProposalRow,
  | 'action'
  | 'agent_slug'
  | 'priority'
  | 'source_type'
  | 'source_identity'
  | 'tainted'
  | 'target_type'
  | 'target_path'
  | 'changes'
  | 'relations'
>

const changesOf = (changes: readonly StoredChange[]) =>
  changes.map(({ path, type, additions, deletions }) => ({ path, type, additions, deletions }))

/** What came after a proposal says nothing of how it was proposed. */
const isSuccessor = (relations: Relations): boolean => Object.keys(madeFrom(relations)).length > 0

/** A stored proposal as rules see it. */
export const subjectOf = (p: Stored): RuleSubject => ({
  action: p.action,
  agent: p.agent_slug,
  priority: p.priority,
  source: { type: p.source_type, identity: p.source_identity },
  tainted: p.tainted,
  target: { type: p.target_type, path: p.target_path },
  changes: changesOf(p.changes),
  successor: isSuccessor(p.relations),
})

/** One that is about to be created. */
export const subjectOfNew = (p: NewProposal): RuleSubject => ({
  action: p.action,
  agent: p.agentSlug,
  priority: p.priority,
  source: { type: p.sourceType, identity: p.sourceIdentity },
  tainted: p.tainted,
  target: p.target,
  changes: changesOf(p.changes),
  successor: isSuccessor(p.relations ?? {}),
})
