import { z } from 'zod'
import { isCanonicalId, isNodeId, NODE_ID_FORM } from '#domain/membridge/identity.rules.ts'
import { nodeView } from './membridge.contract.ts'

/**
 * Leadership of a project's nodes as the Membridge Control Plane tells and changes it ([membridge#leadership]). Times are epoch seconds by the store's
 * clock; a lease that cannot be read is an error of its own and never an absent one.
 */
export const LEASE_SECONDS = { default: 3600, min: 60, max: 604_800 } as const

const nodeId = z.string().trim().refine(isNodeId, NODE_ID_FORM)
const reason = z.string().trim().max(2_000)

/** The lease as it stands in the store, with the fields that nodes read. */
export const leaseView = z
  .object({
    canonical_id: z.string(),
    primary_node_id: z.string(),
    issued_by: z.string(),
    policy: z.string(),
    issued_at: z.number(),
    expires_at: z.number(),
    lease_seconds: z.number(),
    epoch: z.number().int(),
    term: z.number().int().nullable(),
    needs_ui_selection: z.boolean(),
  })
  .strict()
export type LeaseView = z.infer<typeof leaseView>

/** `age_seconds` by the store's clock; null where nobody holds the lock. */
export const lockView = z
  .object({
    state: z.enum(['free', 'active', 'grace', 'stale', 'unreadable']),
    node_id: z.string().nullable(),
    age_seconds: z.number().nullable(),
  })
  .strict()

/** What was pushed last; nulls where nothing was. `term` fences pushes, and is null where there is no pointer at all. */
export const pointerView = z
  .object({
    sha256: z.string().nullable(),
    observations: z.number().int().nullable(),
    term: z.number().int().nullable(),
    pushed_at: z.number().nullable(),
  })
  .strict()

export const leadershipView = z
  .object({
    canonical_id: z.string(),
    preferred_primary: z.string().nullable(),
    node_count: z.number().int(),
    nodes: z.array(nodeView),
    lease: leaseView.nullable(),
    lease_state: z.enum(['absent', 'valid', 'expired']),
    epoch: z.number().int().nullable(),
    term: z.number().int().nullable(),
    /** What remains of the lease by the store's clock; 0 once it has expired, null without one. */
    ttl_seconds: z.number().nullable(),
    needs_ui_selection: z.boolean(),
    lock: lockView,
    pointer: pointerView,
  })
  .strict()
export type LeadershipView = z.infer<typeof leadershipView>

/** A node as the console shows it: with what the wire of existing clients has no field for. */
export const nodeDetail = nodeView.extend({
  /** False: the node was set to do without leadership, and pushes and pulls whatever the lease says. */
  leadership_enabled: z.boolean(),
  /** The node beats under the admin key instead of a key of its own. */
  admin_key: z.boolean(),
})
export type NodeDetail = z.infer<typeof nodeDetail>

export const leadershipRequest = z.object({ cid: z.string().refine(isCanonicalId) })

export const selectPrimaryRequest = z.object({
  cid: z.string().refine(isCanonicalId),
  primary_node_id: nodeId,
  lease_seconds: z
    .number()
    .int()
    .min(LEASE_SECONDS.min)
    .max(LEASE_SECONDS.max)
    .default(LEASE_SECONDS.default),
  reason: reason.nullish().transform((text) => text || null),
  /** The epoch that whoever selects was shown. */
  expected_epoch: z
    .number()
    .int()
    .nonnegative()
    .nullish()
    .transform((epoch) => epoch ?? null),
  force: z
    .boolean()
    .nullish()
    .transform((force) => force ?? false),
})
export type SelectPrimary = z.output<typeof selectPrimaryRequest>

export const selectPrimaryAnswer = z
  .object({
    ok: z.literal(true),
    canonical_id: z.string(),
    primary_node_id: z.string(),
    lease_seconds: z.number(),
    detail: z.string(),
    epoch: z.number().int(),
    term: z.number().int(),
    /** False for a node that was never heard of. */
    known_node: z.boolean(),
    lease: leaseView,
  })
  .strict()
export type SelectPrimaryAnswer = z.infer<typeof selectPrimaryAnswer>

export const GRANTS = [
  'FORCE_PUSH',
  'ALLOW_SECONDARY_PUSH',
  'ALLOW_PRIMARY_PULL_OVERRIDE',
  'LEADERSHIP_DISABLED',
] as const
export const GRANT_SECONDS_MAX = 3600

export const grantRequest = z.object({
  cid: z.string().refine(isCanonicalId),
  node_id: nodeId,
  override: z.enum(GRANTS),
  ttl_seconds: z.number().int().min(1).max(GRANT_SECONDS_MAX),
  reason: reason.min(3),
})
export type GrantRequest = z.output<typeof grantRequest>

export const grantListRequest = leadershipRequest.extend({ node_id: nodeId.optional() })
export type GrantListRequest = z.output<typeof grantListRequest>

export const grantView = z
  .object({
    grant_id: z.string(),
    canonical_id: z.string(),
    node_id: z.string(),
    override: z.enum(GRANTS),
    reason: z.string(),
    granted_by: z.string(),
    created_at: z.number(),
    expires_at: z.number(),
  })
  .strict()
export type GrantView = z.infer<typeof grantView>

export const LEADERSHIP_EVENTS = [
  'leadership.promoted',
  'leadership.refused',
  'leadership.expired',
  'leadership.incident',
  'leadership.granted',
] as const

export const leadershipHistoryRequest = z.object({
  cid: z.string().refine(isCanonicalId),
  cursor: z.string().max(256).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})
export type LeadershipHistoryRequest = z.output<typeof leadershipHistoryRequest>

/** One event of a project's leadership. `details` has what belongs to the event: epoch, term, node, winner, incident, grant. */
export const leadershipEvent = z
  .object({
    event_id: z.string(),
    at: z.number(),
    name: z.string(),
    outcome: z.enum(['ok', 'refused', 'error']),
    actor: z.string(),
    via: z.string(),
    reason: z.string().nullable(),
    error_code: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
  })
  .strict()
export type LeadershipEvent = z.infer<typeof leadershipEvent>

export const leadershipHistory = z
  .object({ items: z.array(leadershipEvent), next_cursor: z.string().nullable() })
  .strict()
export type LeadershipHistory = z.infer<typeof leadershipHistory>
