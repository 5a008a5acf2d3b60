import type { ProposalEvent } from './proposal.machine.ts'
import type { ProposalCommand, Superseding } from './proposal-commands.rules.ts'

/** Commands that change a proposal and no state. */
export type ProposalFlag = Exclude<ProposalCommand, ProposalEvent>

const DECISION = [
  'decided_by',
  'decided_at',
  'decision_mode',
  'decision_note',
  'reason_code',
  'review_digest',
  'apply_not_before',
  'error',
] as const
const ALWAYS = ['version', 'updated_at'] as const

/**
 * What each event of a proposal sets beside its state: the event records these columns as they are afterwards, and the fold of the
 * history reads them ([rebuild#fold]). Whoever lets an event set another column adds it here.
 */
export const PROPOSAL_RECORD = {
  create: ['expires_at', 'rule_trace', ...ALWAYS],
  auto_approve: [...DECISION, 'rule_id', 'rule_version', ...ALWAYS],
  approve: ['force_over_hash', ...DECISION, ...ALWAYS],
  reject: [...DECISION, 'force_over_hash', ...ALWAYS],
  expire: ['expires_at', ...ALWAYS],
  undo: [...DECISION, 'force_over_hash', 'expires_at', ...ALWAYS],
  take: ['attempt', 'fence', ...ALWAYS],
  retake: ['attempt', 'fence', ...ALWAYS],
  // Which paths it changed is in the commit itself.
  applied: ['git_commit', 'result_hash', 'applied_over_hash', 'rebased', 'error', ...ALWAYS],
  fail: ['error', ...ALWAYS],
  retry: ['apply_not_before', 'error', ...ALWAYS],
  force: ['force_over_hash', ...DECISION, ...ALWAYS],
  discard: [...ALWAYS],
  extend: ['expires_at', ...ALWAYS],
  snooze: ['snoozed_until', ...ALWAYS],
  unsnooze: ['snoozed_until', ...ALWAYS],
  requestChanges: ['change_request', 'awaiting_changes_since', 'snoozed_until', ...ALWAYS],
  returnChanges: ['awaiting_changes_since', 'expires_at', ...ALWAYS],
  revise: ['relations', ...ALWAYS],
  archive: ['archived_at', ...ALWAYS],
  unarchive: ['archived_at', ...ALWAYS],
  resubmit: ['relations', ...ALWAYS],
  revert: ['relations', ...ALWAYS],
  edit: ['relations', ...ALWAYS],
  rebase: ['relations', ...ALWAYS],
} as const satisfies Record<ProposalEvent | ProposalFlag | Superseding | 'returnChanges', readonly string[]>
