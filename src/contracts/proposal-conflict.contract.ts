import { z } from 'zod'
import { MERGE_SIDES } from '#domain/proposal/merge.rules.ts'
import { freshnessView, proposalIdSchema } from './proposal.contract.ts'
import { fileHash } from './proposal-body.contract.ts'

/** A conflict on the wire: the three texts of every file, their merge, and what the owner decides about it ([proposals#conflicts]). */
const mergePart = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('merged'), text: z.string() }),
  z.object({ kind: z.literal('overlap'), base: z.string(), current: z.string(), proposed: z.string() }),
])
const merge = z.discriminatedUnion('clean', [
  z.object({ clean: z.literal(true), text: z.string() }),
  z.object({ clean: z.literal(false), parts: z.array(mergePart) }),
])

/** One file; null is "no such file". Texts are in note form: LF and a final newline. */
export const conflictFile = z.object({
  path: z.string(),
  state: freshnessView.shape.state,
  current_hash: fileHash,
  base: z.string().nullable(),
  current: z.string().nullable(),
  proposed: z.string().nullable(),
  merge,
})
export type ConflictFile = z.infer<typeof conflictFile>

/** The approved proposal of the same target whose application this one would be in conflict with. */
export const predictedConflict = z.object({
  proposal_id: z.string(),
  summary: z.string(),
  /** When its hold ends. */
  apply_not_before: z.string().nullable(),
  /** Whether a merge would need no decision then; 0 overlaps. */
  clean: z.boolean(),
  overlaps: z.number(),
})

export const conflictView = z.object({
  proposal_id: z.string(),
  /** Its `current_hash` is what the merge was computed against, and what a rebase names. */
  freshness: freshnessView,
  /** Empty while there is no conflict. */
  files: z.array(conflictFile),
  predicted: predictedConflict.nullable(),
})
export type ConflictView = z.infer<typeof conflictView>

const OWN_TEXT_LENGTH = 1024 * 1024
const text = z
  .string()
  .max(OWN_TEXT_LENGTH)
  .regex(/^[^\0\p{Surrogate}]*$/u, 'holds a NUL or broken Unicode')
const decision = z.union([
  z.object({ take: z.enum(MERGE_SIDES) }).strict(),
  z.object({ take: z.literal('text'), text }).strict(),
])

/** For each file its decisions, one for each overlap in order, or the whole text that it is to have; a clean merge needs none. */
const rebasedFile = z.union([
  z.object({ path: z.string().min(1).max(1024), decisions: z.array(decision).max(10_000) }).strict(),
  z.object({ path: z.string().min(1).max(1024), text }).strict(),
])
export const rebaseInput = z
  .object({
    proposal_id: proposalIdSchema,
    /** `freshness.current_hash` of what was decided about. */
    current_hash: fileHash,
    files: z.array(rebasedFile).max(20).default([]),
  })
  .strict()
export type RebaseInput = z.infer<typeof rebaseInput>
