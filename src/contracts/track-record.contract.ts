import { z } from 'zod'
import { PATTERNS } from '#domain/kernel/ids.ts'

export const trackRecordInput = z.object({ agent: z.string().regex(PATTERNS.slug) }).strict()

const share = z.object({ approved: z.number(), decided: z.number() })

/** How an agent's proposals were decided; a discarded one was rejected before. */
export const trackRecord = z.object({
  agent: z.string(),
  last_20_days: share,
  last_90_days: share,
  /** The latest 20 decisions, the newest first. */
  latest: z.array(
    z.object({
      proposal_id: z.string(),
      summary: z.string(),
      decided_at: z.string(),
      approved: z.boolean(),
    }),
  ),
})
export type TrackRecord = z.infer<typeof trackRecord>
