import { z } from 'zod'
import { DIGEST_PARTS } from '#domain/inbox/digest.rules.ts'
import { agentCard } from './agent.contract.ts'
import { alertView } from './alert.contract.ts'
import { proposalItem } from './proposal.contract.ts'
import { questionView } from './question.contract.ts'
import { COMPONENTS } from './system.contract.ts'

/** What waits for the person who asks, in the order in which to look ([needs#kinds]). Times are ISO 8601 UTC. */
const time = z.string()

/** Of each kind at most so many are listed; `counts` has them all. */
export const MOST_NEEDS = 8

export const need = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('proposal'), proposal: proposalItem }).strict(),
  /** An approval that could not be applied. */
  z.object({ kind: z.literal('failed_proposal'), proposal: proposalItem }).strict(),
  /** A run that waits for an answer. */
  z.object({ kind: z.literal('question'), question: questionView }).strict(),
  z
    .object({
      kind: z.literal('agent'),
      agent: agentCard.pick({ slug: true, name: true, status: true, allowed: true, error: true }),
    })
    .strict(),
  z
    .object({
      kind: z.literal('component'),
      component: z.enum(COMPONENTS),
      status: z.enum(['degraded', 'unavailable']),
      message: z.string().nullable(),
      since: time.nullable(),
    })
    .strict(),
  /** A project of Membridge that nobody may push, or whose lease cannot be read. */
  z
    .object({
      kind: z.literal('project'),
      canonical_id: z.string(),
      name: z.string(),
      reason: z.enum(['no_primary', 'unreadable']),
      since: time.nullable(),
    })
    .strict(),
  z
    .object({
      kind: z.literal('dead_jobs'),
      /** Exact below 10 000. */
      count: z.number().int(),
      exact: z.boolean(),
      newest: z.object({ job_id: z.string(), code: z.string().nullable(), since: time }).strict(),
    })
    .strict(),
  z.object({ kind: z.literal('alert'), alert: alertView }).strict(),
])
export type NeedView = z.infer<typeof need>

/** What waited when the day's digest was made; expiring and conflicting ones are among the proposals. */
export const needsDigest = z
  .object({
    day: z.iso.date(),
    counts: z.record(z.enum(DIGEST_PARTS), z.number().int()),
    created_at: time,
  })
  .strict()
export type NeedsDigest = z.infer<typeof needsDigest>
export const digestRef = needsDigest.pick({ day: true })

export const needsAnswer = z
  .object({
    items: z.array(need),
    /** How many there are; dead jobs are one together. */
    count: z.number().int(),
    /** Proposals to review that are not listed. */
    more_proposals: z.number().int(),
    /** The latest digest of the caller's account, until it is read. */
    digest: needsDigest.nullable(),
  })
  .strict()
export type NeedsAnswer = z.infer<typeof needsAnswer>
