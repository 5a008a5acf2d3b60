import { z } from 'zod'
import { errorCode, jobReason, jobStatus } from './job.contract.ts'

/** Failures of jobs in groups, and how a person says that one is dealt with ([jobs#failure-groups]). Times are ISO 8601 UTC. */
const time = z.string()

/** FAILED and DEAD jobs that ended with the same code in the same phase; `code` and `phase` as a filter give exactly its jobs. */
export const jobFailureGroup = z.object({
  code: z.string(),
  phase: z.string(),
  /** The most frequent message with ids, numbers and addresses taken out, and how many different ones there are. */
  pattern: z.string(),
  patterns: z.number(),
  sample_message: z.string(),
  count: z.number(),
  failed: z.number(),
  dead: z.number(),
  agents: z.array(z.string()),
  /** When the oldest and the newest of its jobs ended. */
  first_at: time,
  last_at: time,
  /** How many of its jobs ended in each of the last 24 hours, the current one last. */
  hours: z.array(z.number()),
  sample_job_ids: z.array(z.string()),
  /** Who resolved the group last, and why. It is listed again once a job failed in that way since. */
  resolution: z.object({ by: z.string(), reason: z.string(), at: time }).nullable(),
})
export const jobFailuresInput = z
  .object({
    /** `yes`: the resolved groups instead of those that wait for somebody. */
    resolved: z.enum(['yes', 'no']).default('no'),
  })
  .strict()
export type JobFailuresInput = z.infer<typeof jobFailuresInput>
export const jobFailures = z.object({
  groups: z.array(jobFailureGroup),
  /** How many groups the other list has. */
  others: z.number(),
  exact: z.boolean(),
})
export type JobFailures = z.infer<typeof jobFailures>

/** `through` is the `last_at` of the group as it was seen: what failed later is not resolved. */
export const jobResolveInput = z
  .object({ code: errorCode, phase: jobStatus, through: z.iso.datetime(), reason: jobReason })
  .strict()
export type JobResolveInput = z.infer<typeof jobResolveInput>
export const jobResolved = z.object({
  code: z.string(),
  phase: z.string(),
  resolved_at: time,
  resolved_by: z.string(),
})
export type JobResolved = z.infer<typeof jobResolved>
