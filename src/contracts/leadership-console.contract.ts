import { z } from 'zod'
import { isCanonicalId, isNodeId, NODE_ID_FORM } from '#domain/membridge/identity.rules.ts'
import { REASON_MIN } from '#domain/membridge/promotion.rules.ts'
import {
  GRANT_SECONDS_MAX,
  GRANTS,
  LEASE_SECONDS,
  leadershipHistoryRequest,
  leaseView,
  lockView,
  nodeDetail,
  pointerView,
} from './leadership.contract.ts'

/**
 * Leadership as people see it in the console and at the gateway: the data of the control plane, with an unreadable lease as a state of its own
 * ([membridge#leadership]). Times are epoch seconds, as everywhere in Membridge; `as_of` is the server's clock, to count down from.
 */
const cid = z
  .string()
  .refine(isCanonicalId, 'must be 1 to 64 letters, digits, ".", "_" or "-", and not dots alone')
const cursor = z.string().max(512).optional()
export const LEASE_STATES = ['absent', 'valid', 'expired', 'unreadable'] as const
const leaseState = z.enum(LEASE_STATES)

export const leadershipRef = z.object({ cid }).strict()

export const leadershipListRequest = z
  .object({ cursor, limit: z.coerce.number().int().min(1).max(100).default(50) })
  .strict()
export type LeadershipList = z.output<typeof leadershipListRequest>

/** The last push with what the wire of nodes has no field for. */
const lastPush = pointerView
  .extend({
    state: z.enum(['absent', 'present', 'unreadable']),
    pushed_by: z.string().nullable(),
    bytes: z.number().int().nullable(),
  })
  .strict()

const leaseFields = {
  canonical_id: z.string(),
  name: z.string(),
  /** Why the lease cannot be read. */
  fault: z.string().nullable(),
  primary_node_id: z.string().nullable(),
  primary_online: z.boolean(),
  epoch: z.number().int().nullable(),
  term: z.number().int().nullable(),
  /** What remains of the lease by the store's clock, at `as_of`; never below 0. */
  ttl_seconds: z.number().nullable(),
  needs_ui_selection: z.boolean(),
  pointer: lastPush,
  lock: lockView,
  /** When the store was last looked at. */
  seen_at: z.number().nullable(),
  as_of: z.number(),
}

/** One project as the ledger mirrors its lease: `lease_state` is null until the first look. The object in the store decides, and the project's own page reads it. */
export const leadershipSummary = z
  .object({
    ...leaseFields,
    lease_state: leaseState.nullable(),
    nodes: z.number().int(),
    nodes_online: z.number().int(),
  })
  .strict()
export type LeadershipSummary = z.infer<typeof leadershipSummary>
export const leadershipPage = z
  .object({ items: z.array(leadershipSummary), next_cursor: z.string().nullable() })
  .strict()
export type LeadershipPage = z.infer<typeof leadershipPage>

/** One project, read from the store. */
export const projectLeadership = z
  .object({
    ...leaseFields,
    lease_state: leaseState,
    issued_by: z.string().nullable(),
    lease_seconds: z.number().nullable(),
    nodes: z.array(nodeDetail),
    /** Why the store is not fit for leadership, in one sentence; null where it is. */
    store_refusal: z.string().nullable(),
  })
  .strict()
export type ProjectLeadership = z.infer<typeof projectLeadership>

/** Bytes of a project's snapshots, which nothing deletes; at least so many where `complete` is false. */
export const keptHistory = z
  .object({ bytes: z.number().int(), snapshots: z.number().int(), complete: z.boolean() })
  .strict()
export type KeptHistory = z.infer<typeof keptHistory>

const nodeId = z.string().trim().refine(isNodeId, NODE_ID_FORM)
const reason = z.string().trim().min(REASON_MIN).max(2_000)

export const promoteRequest = z
  .object({
    cid,
    primary_node_id: nodeId,
    lease_seconds: z
      .number()
      .int()
      .min(LEASE_SECONDS.min)
      .max(LEASE_SECONDS.max)
      .default(LEASE_SECONDS.default),
    reason,
    /** The epoch that the person was shown; 0 where there was no lease, or none that can be read. */
    expected_epoch: z.number().int().nonnegative(),
    force: z.boolean().default(false),
    /** How many records the person saw would be lost; null where nobody knows. A greater loss is refused. */
    accepted_loss: z.number().int().nonnegative().nullable().default(0),
  })
  .strict()
export type Promote = z.output<typeof promoteRequest>

export const promotion = z
  .object({
    canonical_id: z.string(),
    primary_node_id: z.string(),
    epoch: z.number().int(),
    term: z.number().int(),
    known_node: z.boolean(),
    lease: leaseView,
  })
  .strict()
export type Promotion = z.infer<typeof promotion>

export const grantOverrideRequest = z
  .object({
    cid,
    node_id: nodeId,
    override: z.enum(GRANTS),
    ttl_seconds: z.number().int().min(1).max(GRANT_SECONDS_MAX),
    reason,
  })
  .strict()

/** What stands in the details of a refused promotion: who leads now, who pushes and for how long, or what would be lost (null: nobody knows). */
export type PromotionConflict = {
  lease?: { primary_node_id: string; epoch: number } | null
  selected_by?: string | null
  lock?: { node_id: string | null; age_seconds: number } | null
  loss?: number | null
}

export const leadershipHistoryQuery = leadershipHistoryRequest
  .extend({ limit: z.coerce.number().int().min(1).max(100).default(20) })
  .strict()
