import { z } from 'zod'
import { engineMark, grounding, lineRange, RESEARCH_LIMITS, researchPayload } from './research.contract.ts'

/** A question to the NotebookLM Backend that is answered at once and leaves no artifact ([nlm-backend#endpoints]). */
const { query, sources } = researchPayload.shape
const source = sources.unwrap().element

export const nlmQuery = z
  .object({
    question: query,
    /** A ref alone narrows the context to that document; without a context only texts and addresses say anything. */
    sources: z
      .array(
        z.union([
          z
            .string()
            .min(1)
            .max(1024)
            .transform((ref) => ({ ref })),
          source,
        ]),
      )
      .max(RESEARCH_LIMITS.sources),
    context: z
      .object({ memory_snapshot_url: z.string().max(4096) })
      .strict()
      .optional(),
  })
  .strict()
export type NlmQuery = z.infer<typeof nlmQuery>

/** `quote` is verbatim text of `lines` of `source` at `revision`. */
export const nlmAnswer = z.object({
  answer: z.string(),
  citations: z.array(
    z.object({ source: z.string(), lines: lineRange, quote: z.string(), revision: z.string() }),
  ),
  grounding,
  engine: engineMark,
})
export type NlmAnswer = z.infer<typeof nlmAnswer>
