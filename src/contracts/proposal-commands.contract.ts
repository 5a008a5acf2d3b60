import { z } from 'zod'
import { MAX_NOTE_BYTES } from '#domain/garden/note-text.rules.ts'
import { REASON_LENGTH } from '#domain/proposal/decision.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { plainText, proposalIdSchema, proposalItem, reasonCode } from './proposal.contract.ts'
import { fileHash } from './proposal-body.contract.ts'

/** What commands on a proposal take and answer ([proposals#commands]). */
const proposal_id = proposalIdSchema
/** A reason that a person states, trimmed ([proposals#P4], [proposals#P12], [proposals#P17]). */
export const statedReason = plainText(REASON_LENGTH.max).min(
  REASON_LENGTH.min,
  `must have at least ${REASON_LENGTH.min} characters`,
)

export const proposalIdInput = z.object({ proposal_id }).strict()
/** What a decision may overwrite, by the hash of all that the target holds now, and why ([proposals#force]). */
export const override = z.object({ over_hash: fileHash, reason: statedReason }).strict()
export type Override = z.infer<typeof override>
/** `force` for a target that has changed so that the proposal cannot be merged; without a conflict it is refused. */
export const approveInput = z
  .object({ proposal_id, review_digest: z.string().max(128).optional(), force: override.optional() })
  .strict()
export const rejectInput = z
  .object({ proposal_id, decision_note: statedReason, reason_code: reasonCode.optional() })
  .strict()
/** A file of an edited approval: the hunks that are accepted, numbered from 1, or the final text, or both. */
export const editedChange = z
  .object({
    path: plainText(1024).min(1),
    /** All of them where it is not said. */
    hunks: z.array(z.number().int().min(1)).max(10_000).optional(),
    text: z.string().max(MAX_NOTE_BYTES).optional(),
  })
  .strict()
/** [proposals#edited-approval]: a file that is not named is approved as proposed. */
export const editInput = z
  .object({
    proposal_id,
    review_digest: z.string().max(128).optional(),
    changes: z.array(editedChange).min(1).max(20),
    /** What becomes of the hunks that are left out. */
    remainder: z.enum(['propose', 'reject']).default('reject'),
    decision_note: statedReason.optional(),
    reason_code: reasonCode.optional(),
  })
  .strict()
export type EditInput = z.output<typeof editInput>
export const forceInput = override.extend({ proposal_id }).strict()
export const extendInput = z
  .object({ proposal_id, hours: z.number().int().min(1).max(720), reason: statedReason })
  .strict()
/** `until` lies in the future and before the expiry (422 `LIMIT_EXCEEDED`). */
export const snoozeInput = z.object({ proposal_id, until: z.iso.datetime({ offset: true }) }).strict()
/** `PATCH /proposals/{id}`: the same rules as approve and reject; the status in any case. */
export const patchProposalInput = z
  .object({
    proposal_id,
    status: z
      .string()
      .transform((s) => s.toUpperCase())
      .pipe(z.enum([proposalMachine.events.approve.to, proposalMachine.events.reject.to])),
    decision_note: plainText(REASON_LENGTH.max).optional(),
    reason_code: reasonCode.optional(),
    review_digest: z.string().max(128).optional(),
  })
  .strict()

/** Answer of every command: the proposal as it is afterwards; `unchanged` when the outcome already held. */
export const commandAnswer = z.object({ unchanged: z.boolean(), proposal: proposalItem })
export type CommandAnswer = z.infer<typeof commandAnswer>
/** Answer of resubmit and revert. */
export const successorAnswer = z.object({
  unchanged: z.boolean(),
  proposal: proposalItem,
  inbox_id: z.string(),
})

/** Answer of edit: the approved child, or the proposal itself where nothing was edited; and what waits of the rest. */
export const editAnswer = successorAnswer.extend({ remainder: proposalItem.nullable() })

export type ApproveInput = z.infer<typeof approveInput>
export type RejectInput = z.infer<typeof rejectInput>
export type ForceInput = z.infer<typeof forceInput>
export type ExtendInput = z.infer<typeof extendInput>
export type SnoozeInput = z.infer<typeof snoozeInput>
