/**
 * The wire of the Membridge Control Plane, as its clients know it [control-plane#wire]: compact JSON, epoch seconds with a fraction, `null` where
 * something is unknown.
 */
import { z } from 'zod'
import { askedStatus, jobStatus, jobType } from './job.contract.ts'

const reachable = z.enum(['ok', 'failing'])
const seconds = z.number()

/** `GET /health`: 200 while PostgreSQL answers, 503 otherwise, when nothing can be counted. */
export const controlPlaneHealth = z.object({
  status: z.enum(['ok', 'unavailable']),
  service: z.literal('membridge-control-plane'),
  version: z.string(),
  projects: z.number().nullable(),
  agents: z.number().nullable(),
  store: reachable,
  database: reachable,
})
export type ControlPlaneHealth = z.infer<typeof controlPlaneHealth>

const ITEM_KINDS = ['job', 'sync'] as const
const SYNC_STATES = ['pending', 'completed', 'failed', 'error'] as const

/**
 * An item of `/jobs`: a Job, or a sync of a node. Each has the keys of both, null where they are the other's. A status is upper case for a Job and
 * lower case for a sync.
 */
export const jobItem = z.object({
  kind: z.enum(ITEM_KINDS),
  id: z.string(),
  status: z.union([jobStatus, z.enum(SYNC_STATES)]),
  job_type: jobType.nullable(),
  agent_slug: z.string().nullable(),
  attempt: z.number().nullable(),
  max_attempts: z.number().nullable(),
  artifact_id: z.string().nullable(),
  error: z
    .object({ code: z.string(), message: z.string(), phase: z.string(), retryable: z.boolean(), at: seconds })
    .nullable(),
  updated_at: seconds.nullable(),
  action: z.enum(['pull', 'push']).nullable(),
  project: z.string().nullable(),
  agent: z.string().nullable(),
  canonical_id: z.string().nullable(),
  detail: z.string().nullable(),
  stdout: z.string().nullable(),
  stderr: z.string().nullable(),
  returncode: z.number().nullable(),
  dryrun: z.boolean().nullable(),
  created_at: seconds,
  finished_at: seconds.nullable(),
  request_id: z.string().nullable(),
})
export type JobItem = z.infer<typeof jobItem>

/** `GET /jobs`. A project is a sync's: no Job has one. */
export const jobItemsInput = z.strictObject({
  status: z.union([askedStatus, z.enum(SYNC_STATES)]).optional(),
  kind: z.enum(ITEM_KINDS).optional(),
  project: z.string().min(1).max(128).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})
export type JobItemsInput = z.infer<typeof jobItemsInput>

const reason = z.string().trim().max(256).nullish()

/** `PATCH /jobs/{id}/status`: the one status that may be asked for. */
export const failItemInput = z.object({ status: z.literal('FAILED'), reason })
/** `POST /jobs/{id}/requeue`. */
export const requeueItemInput = z.strictObject({ id: z.string(), reason })
