import { z } from 'zod'
import { REMOTE_MARKS } from '#domain/garden/remote.rules.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { REASON_CODES } from '#domain/proposal/decision.rules.ts'
import { type ProposalState, proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { PROPOSAL_COMMANDS } from '#domain/proposal/proposal-commands.rules.ts'
import { RISK_LEVELS, RISK_REASONS } from '#domain/proposal/risk.rules.ts'
import {
  appendPosition,
  citation,
  fileHash,
  proposalContent,
  proposalRelations,
} from './proposal-body.contract.ts'
import { ruleTrace } from './rule-trace.contract.ts'

/**
 * Proposals on the wire ([proposals#commands]): what lists and the review page show, and what the owner's
 * commands take. Times are ISO 8601 UTC; `changes[].path` is a path of the garden, `target.path` the address of the entry.
 */
export const proposalStatus = z.enum(proposalMachine.states as readonly [ProposalState, ...ProposalState[]])
export const proposalIdSchema = z.string().regex(PATTERNS.proposal)
/** Computed on read: how the proposal stands against the garden as it is now ([proposals#conflicts]). */
export const freshnessView = z.object({
  state: z.enum(['clean', 'changed', 'missing', 'exists']),
  mergeable: z.boolean(),
  current_revision: z.string(),
  /** The target's hash now; for several files one digest over all of them. What `force` names as `over_hash`. */
  current_hash: z.string(),
})
export type FreshnessView = z.infer<typeof freshnessView>

/** What may be done now by this reader: the live buttons. */
export const proposalCommand = z.enum(PROPOSAL_COMMANDS)

export const reasonCode = z.enum(REASON_CODES)

export const APPLY_ERROR_CODES = [
  'conflict',
  'target_missing',
  'target_exists',
  'diff_invalid',
  'validation_failed',
  'limit_exceeded',
  'version_conflict',
  'storage_unavailable',
  'timeout',
  'internal',
] as const
export const applyErrorCode = z.enum(APPLY_ERROR_CODES)
export type ApplyErrorCode = z.infer<typeof applyErrorCode>

/** A sum of named points; `count` is what a reason speaks of: lines, files, per cent, rejections. */
export const riskView = z.object({
  score: z.number(),
  level: z.enum(RISK_LEVELS),
  reasons: z.array(z.object({ code: z.enum(RISK_REASONS), points: z.number(), count: z.number() })),
})
export type RiskView = z.infer<typeof riskView>

/** One row of a list. */
export const proposalItem = z.object({
  id: z.string(),
  /** The same as `id`; what stands beside the documented fields is for the console. */
  proposal_id: z.string(),
  inbox_entry_id: z.string(),
  status: proposalStatus,
  summary: z.string(),
  action: z.string(),
  target: z.object({ type: z.string(), path: z.string() }),
  source: z.object({
    type: z.string(),
    identity: z.string(),
    run_id: z.string().nullable(),
    agent_version: z.string().nullable(),
    tainted: z.boolean(),
  }),
  agent: z.string().nullable(),
  run_id: z.string().nullable(),
  priority: z.enum(['normal', 'high']),
  created_at: z.string(),
  updated_at: z.string(),
  expires_at: z.string(),
  decided_by: z.string().nullable(),
  decided_at: z.string().nullable(),
  apply_not_before: z.string().nullable(),
  git_commit: z.string().nullable(),
  error_code: applyErrorCode.nullable(),
  files: z.number(),
  additions: z.number(),
  deletions: z.number(),
  archived: z.boolean(),
  archived_at: z.string().nullable(),
  seen_at: z.string().nullable(),
  seen: z.boolean(),
  seen_again: z.number(),
  /** While it is pending, once it was looked at; null otherwise ([proposals#risk]). */
  risk: riskView.nullable(),
  /** Out of the review order until then; null when it is not snoozed. */
  snoozed_until: z.string().nullable(),
  /** Since when its agent works on changes that the owner asked for; null when it does not. */
  awaiting_changes_since: z.string().nullable(),
  /** Only while a decision depends on it (PENDING, APPROVED, FAILED); null otherwise. */
  freshness: freshnessView.nullable(),
  commands: z.array(proposalCommand),
})
export type ProposalItem = z.infer<typeof proposalItem>

/** One file of the proposal with its three texts; null is "no such file". */
export const changeView = z.object({
  path: z.string(),
  type: z.enum(['append', 'replace', 'create', 'delete']),
  position: appendPosition.nullable(),
  state: z.enum(['clean', 'changed', 'missing', 'exists']),
  base_hash: fileHash,
  result_hash: fileHash,
  current_hash: fileHash,
  base_text: z.string().nullable(),
  current_text: z.string().nullable(),
  proposed_text: z.string().nullable(),
  /** The proposed text as it reads: a sanitized hast root; null for what is no Markdown or is removed. */
  proposed_content: z.unknown(),
  /** True while that is the text as it is written, for a moment. Ask again. */
  reading: z.boolean(),
  /** The real diff: current → what approving leads to; in a conflict base → proposed; once applied, what the commit did. */
  unified: z.string(),
  additions: z.number(),
  deletions: z.number(),
})
export type ChangeView = z.infer<typeof changeView>

export const lineage = z.object({
  inbox_id: z.string(),
  entry_source: z.string(),
  received_at: z.string(),
  run_id: z.string().nullable(),
  agent: z.string().nullable(),
  agent_version: z.string().nullable(),
  git_commit: z.string().nullable(),
  resubmitted_from: z.string().nullable(),
  resubmitted_as: z.string().nullable(),
  reverts: z.string().nullable(),
  reverted_by: z.string().nullable(),
  edited_from: z.string().nullable(),
  rebased_from: z.string().nullable(),
  superseded_by: z.string().nullable(),
  supersedes: z.string().nullable(),
  remainder_of: z.string().nullable(),
  remainder_as: z.string().nullable(),
})

export const proposalView = proposalItem.extend({
  version: z.number(),
  content: proposalContent,
  relations: proposalRelations,
  reasoning: z.string(),
  citations: z.array(citation),
  entity_refs: z.array(z.string()),
  base_revision: z.string(),
  target_hash: z.string(),
  content_digest: z.string(),
  /** What approve pins: it changes when what the owner sees changes. */
  review_digest: z.string(),
  changes: z.array(changeView),
  lineage,
  approval: z
    .object({
      decided_by: z.string(),
      decided_at: z.string(),
      decision_note: z.string().nullable(),
      reason_code: z.string().nullable(),
      mode: z.string().nullable(),
      rule_id: z.string().nullable(),
      rule_version: z.number().nullable(),
      review_digest: z.string().nullable(),
      apply_not_before: z.string().nullable(),
      force: z.object({ over_hash: z.string(), reason: z.string() }).nullable(),
    })
    .nullable(),
  apply_result: z.object({
    attempt: z.number(),
    git_commit: z.string().nullable(),
    /** The repository of the commit; null until there is one. */
    repository: z.literal('garden').nullable(),
    object_paths: z.array(z.string()),
    /** How far the commit has come beside the garden; `none` where no remote is configured. */
    remote: z.enum(REMOTE_MARKS),
    /** When the commit was seen on the remote. */
    remote_pushed_at: z.string().nullable(),
    applied_over_hash: z.string().nullable(),
    result_hash: z.string().nullable(),
    rebased: z.boolean(),
    error: z
      .object({ code: applyErrorCode, message: z.string(), current_hash: z.string().optional() })
      .nullable(),
  }),
  /** The inbox entry by which changes were last asked for; null when they never were. */
  change_request: z.string().nullable(),
  /** How the approval rules judged it when it was created; the last entry decided. */
  rule_trace: ruleTrace,
  /** Earlier proposals of the same target that are applied first; 0 means it is the head of its queue. */
  queue_place: z.number().nullable(),
})
export type ProposalView = z.infer<typeof proposalView>

/** What a guest sees of a proposal in the zone: no notes, identities or runs ([zones#what-a-guest-sees]). */
export const guestProposalView = z.object({
  id: z.string(),
  proposal_id: z.string(),
  status: proposalStatus,
  summary: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  expires_at: z.string(),
  changes: z.array(z.object({ path: z.string(), type: z.string(), unified: z.string() })),
})
export type GuestProposalView = z.infer<typeof guestProposalView>

/** A trimmed text that a ledger can keep: no NUL, no broken Unicode. */
export const plainText = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .regex(/^[^\0\p{Surrogate}]*$/u, 'holds a NUL or broken Unicode')

const limit = z.coerce.number().int().min(1).max(100).default(50)
const many = <T extends z.ZodType>(item: T) =>
  z.union([z.array(item), item.transform((one) => [one])]).optional()

/** `GET /proposals`. Cursors are opaque; a cursor belongs to the sort it came from ([ledger#lists]). */
export const proposalFilter = z
  .object({
    status: many(proposalStatus),
    agent: plainText(64).optional(),
    action: plainText(64).optional(),
    target: plainText(1100).optional(),
    source: plainText(128).optional(),
    run: plainText(64).optional(),
    archived: z.union([z.boolean(), z.stringbool()]).optional(),
    q: plainText(200).optional(),
    /** `to_decide`: pending, not snoozed and not with its agent, in review order. `snoozed`: the first to return first. `awaiting_changes`: the longest wait first. */
    sort: z.enum(['newest', 'oldest', 'to_decide', 'snoozed', 'awaiting_changes']).default('newest'),
    cursor: z.string().max(512).optional(),
    limit,
  })
  .strict()
export type ProposalFilter = z.infer<typeof proposalFilter>
export type ProposalFilterInput = z.input<typeof proposalFilter>

export const proposalPage = z.object({ items: z.array(proposalItem), next_cursor: z.string().nullable() })
export type ProposalPage = z.infer<typeof proposalPage>

/** What waits for a decision. `in_conflict.exact: false` means "at least". */
export const proposalCounts = z.object({
  waiting: z.number(),
  expiring_today: z.number(),
  high_priority: z.number(),
  /** Pending ones that are out of the review order for now; the other counts leave them out. */
  snoozed: z.number(),
  /** Pending ones whose agents work on changes that were asked for; the other counts leave them out. */
  awaiting_changes: z.number(),
  unseen: z.number(),
  in_conflict: z.object({ count: z.number(), exact: z.boolean() }),
  applying: z.number(),
  failed: z.number(),
})
export type ProposalCounts = z.infer<typeof proposalCounts>

/** One line of a proposal's history, oldest first. */
export const historyEntry = z.object({
  event_id: z.string(),
  at: z.string(),
  event: z.string(),
  transition: z.string().nullable(),
  actor: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  reason: z.string().nullable(),
  outcome: z.string(),
  error_code: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
})
export type HistoryEntry = z.infer<typeof historyEntry>
