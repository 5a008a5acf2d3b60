import { z } from 'zod'

/** What a proposal proposes: the same words when it is submitted, stored and read ([proposals#changes]). */
const digest = z.string().regex(/^[0-9a-f]{64}$/)
/** SHA-256 of a file's bytes, or `absent`. */
export const fileHash = z.union([digest, z.literal('absent')])

export const appendPosition = z.union([z.enum(['end', 'after-frontmatter']), z.number().int().min(0)])
/** A change as it is proposed ([proposals#changes]). */
export const diffInput = z.union([
  z.object({ type: z.literal('append'), position: appendPosition, text: z.string().min(1) }).strict(),
  z.object({ type: z.literal('replace'), unified: z.string().min(1) }).strict(),
  z.object({ type: z.literal('replace'), text: z.string() }).strict(),
  z.object({ type: z.literal('create'), text: z.string() }).strict(),
  z.object({ type: z.literal('delete') }).strict(),
])

/** `quote` is verbatim text of `lines` of `source` at `source_revision`. */
export const citation = z
  .object({
    source: z.string().min(1).max(1024),
    lines: z.object({ from: z.number().int().min(1), to: z.number().int().min(1) }).strict(),
    quote: z.string().min(1).max(4000),
    source_revision: z.string().min(1).max(128),
  })
  .strict()
export type Citation = z.infer<typeof citation>

/** A change in its normal form: the diff against the base, whatever it was proposed as. */
const normalDiff = z.object({
  type: z.enum(['append', 'replace', 'create', 'delete']),
  position: appendPosition.optional(),
  text: z.string().optional(),
  unified: z.string(),
})

export const proposalContent = z.object({
  summary: z.string(),
  changes: z.array(z.object({ path: z.string(), diff: normalDiff, base_hash: fileHash })),
  reasoning: z.string(),
  citations: z.array(citation),
  entity_refs: z.array(z.string()),
})

/** Which proposals this one comes from; only those that there are. */
export const proposalRelations = z.object({
  resubmitted_from: z.string().optional(),
  reverts: z.string().optional(),
  edited_from: z.string().optional(),
  rebased_from: z.string().optional(),
  remainder_of: z.string().optional(),
  supersedes: z.string().optional(),
})
