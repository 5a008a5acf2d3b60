import { z } from 'zod'
import { OUTLIER_REASONS, SIZES } from '#domain/proposal/alike.rules.ts'
import { BATCH_LIMIT, DECISIONS, EXCLUSIONS } from '#domain/proposal/batch.rules.ts'
import { REASON_LENGTH } from '#domain/proposal/decision.rules.ts'
import { RISK_LEVELS } from '#domain/proposal/risk.rules.ts'
import { plainText, proposalIdSchema, proposalStatus, reasonCode } from './proposal.contract.ts'

/** Several proposals decided at once, and groups of alike ones ([proposals#batch], [proposals#alike]). */
const proposal_ids = z.array(proposalIdSchema).min(1).max(BATCH_LIMIT)
/** The status that is wanted, in any case. */
const status = z
  .string()
  .transform((s) => s.toUpperCase())
  .pipe(z.enum(DECISIONS))
const reviewDigests = z.record(proposalIdSchema, z.string().max(128))

/** `PATCH /proposals/batch`. A digest that is left out pins what the proposal is at the moment it is decided. */
export const batchInput = z
  .object({
    proposal_ids,
    status,
    decision_note: plainText(REASON_LENGTH.max).optional(),
    reason_code: reasonCode.optional(),
    review_digests: reviewDigests.optional(),
  })
  .strict()
export type BatchInput = z.infer<typeof batchInput>

const failure = z.object({
  proposal_id: z.string(),
  outcome: z.literal('error'),
  /** The state it is in; null where there is no such proposal. */
  status: proposalStatus.nullable(),
  code: z.string(),
  message: z.string(),
})
export type BatchFailure = z.infer<typeof failure>
const success = z.object({
  proposal_id: z.string(),
  /** `skipped`: the decision held already. */
  outcome: z.enum(['updated', 'skipped']),
  status: proposalStatus,
})
/** One entry per id, in the order in which they were given. */
export const batchAnswer = z.object({
  updated: z.number(),
  skipped: z.number(),
  results: z.array(z.union([success, failure])),
  /** The failures of `results` once more. */
  errors: z.array(failure),
})
export type BatchAnswer = z.infer<typeof batchAnswer>
export type BatchResult = BatchAnswer['results'][number]

export const batchPreviewInput = z.object({ proposal_ids, status }).strict()
export type BatchPreviewInput = z.infer<typeof batchPreviewInput>

/** What a batch would do as things are now. Nothing is written. */
export const batchPreview = z.object({
  status: z.enum(DECISIONS),
  /** Commits that the Apply Engine would make: one per approval. */
  commits: z.number(),
  /** Different files that these change. */
  files: z.number(),
  conflicts: z.number(),
  expired: z.number(),
  highest_priority: z.enum(['normal', 'high']).nullable(),
  /** The highest risk in `proposals`; null where none was assessed yet. */
  highest_risk: z.enum(RISK_LEVELS).nullable(),
  /** What would be decided, in order. */
  proposals: z.array(
    z.object({
      proposal_id: z.string(),
      summary: z.string(),
      path: z.string(),
      priority: z.enum(['normal', 'high']),
      /** Null while nobody has looked. */
      risk: z.enum(RISK_LEVELS).nullable(),
      review_digest: z.string(),
      /** An earlier one changes the same file, so that this one will be in conflict when it is applied. */
      overlaps: z.boolean(),
    }),
  ),
  excluded: z.array(
    z.object({
      proposal_id: z.string(),
      summary: z.string().nullable(),
      status: proposalStatus.nullable(),
      reason: z.enum(EXCLUSIONS),
    }),
  ),
})
export type BatchPreview = z.infer<typeof batchPreview>

export const combinedInput = z.object({ proposal_ids }).strict()

/** What several proposals do together, one after another, to each file. */
export const combinedDiff = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      /** Null: no such file. */
      before: z.string().nullable(),
      after: z.string().nullable(),
      proposal_ids: z.array(z.string()),
    }),
  ),
  /** What was looked at; approving pins it. A proposal that is left out has none. */
  review_digests: reviewDigests,
  /** Proposals that do not apply after those before them, or are too large to be shown with them. */
  left_out: z.array(z.string()),
})
export type CombinedDiff = z.infer<typeof combinedDiff>

/** One group of alike proposals; `members` are at most one batch, outliers first. */
export const alikeGroup = z.object({
  key: z.string(),
  agent: z.string().nullable(),
  source: z.string(),
  action: z.string(),
  folder: z.string(),
  kinds: z.array(z.string()),
  size: z.enum(SIZES),
  count: z.number(),
  outliers: z.number(),
  members: z.array(
    z.object({
      proposal_id: z.string(),
      summary: z.string(),
      path: z.string(),
      additions: z.number(),
      deletions: z.number(),
      outlier: z.array(z.enum(OUTLIER_REASONS)),
    }),
  ),
})
export type AlikeGroupView = z.infer<typeof alikeGroup>

/** `exact: false` means "at least": more are pending than were looked at. */
export const alikeGroups = z.object({
  groups: z.array(alikeGroup),
  alike: z.object({ count: z.number(), exact: z.boolean() }),
})
export type AlikeGroups = z.infer<typeof alikeGroups>
