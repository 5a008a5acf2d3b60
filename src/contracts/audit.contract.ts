import { z } from 'zod'
import { plainText } from './proposal.contract.ts'

/** Ids that concern an event, as they stand at the top of it; `refs` of a view has all of them. */
const eventIds = z.object({
  job_id: z.string(),
  run_id: z.string(),
  proposal_id: z.string(),
  task_id: z.string(),
  lease_id: z.string(),
  inbox_id: z.string(),
  artifact_id: z.string(),
})

/** An event of the audit as the console and the API show it [audit#events]. */
export const auditEventView = eventIds.partial().extend({
  seq: z.number().nullable(),
  event_id: z.string(),
  ts: z.string(),
  event: z.string(),
  actor: z.string(),
  actor_role: z.string(),
  via: z.string(),
  resource: z.object({ type: z.string(), id: z.string() }),
  transition: z.string().nullable(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  reason: z.string().nullable(),
  outcome: z.enum(['ok', 'refused', 'error']),
  error_code: z.string().nullable(),
  node: z.string(),
  correlation_id: z.string().nullable(),
  refs: z.record(z.string(), z.unknown()),
  details: z.record(z.string(), z.unknown()),
  hash: z.string().nullable(),
})
export type AuditEventView = z.infer<typeof auditEventView>

export const auditListInput = z
  .object({
    actor: z.string().max(128).optional(),
    event: z.string().max(64).optional(),
    resource_type: z.string().max(32).optional(),
    resource_id: z.string().max(128).optional(),
    outcome: z.enum(['ok', 'refused', 'error']).optional(),
    /** Part of the name, the actor, the object, the reason, the error code or the correlation id. A page looks into 20 000 events. */
    q: plainText(200).optional(),
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
    cursor: z.string().max(128).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .strict()
export type AuditListInput = z.infer<typeof auditListInput>

export const auditPage = z.object({
  items: z.array(auditEventView),
  next_cursor: z.string().nullable(),
  /** When the oldest event happened that a search by text looked into, where older ones wait for the next page; else null. */
  searched_to: z.string().nullable(),
  chain: z.object({ sealed: z.number(), waiting: z.number(), head: z.string() }),
})
export type AuditPage = z.infer<typeof auditPage>

/** `to_seq` is the newest sealed event by default. */
export const auditExportInput = z
  .object({
    format: z.enum(['jsonl', 'csv']).default('jsonl'),
    from_seq: z.coerce.number().int().min(1).default(1),
    to_seq: z.coerce.number().int().min(1).optional(),
  })
  .strict()
export type AuditExportInput = z.infer<typeof auditExportInput>

export const auditGetInput = z.object({ event_id: z.string().max(64) }).strict()
export const auditHistoryInput = z
  .object({ resource_type: z.string().max(32), resource_id: z.string().max(128) })
  .strict()
export const auditHistory = z.object({ items: z.array(auditEventView) })

/** What verification can find wrong [audit#verification]. */
export const AUDIT_PROBLEMS = [
  'sequence_gap',
  'event_missing',
  'link_broken',
  'hash_mismatch',
  'row_differs',
  'end_missing',
  'head_mismatch',
  'unsealed_event',
  'signed_head_missing',
  'signed_head_altered',
  'signed_head_unknown_key',
  'signed_head_contradicts',
  'signed_beyond_end',
  'object_missing',
  'object_differs',
  'object_unknown',
] as const
export type AuditProblem = (typeof AUDIT_PROBLEMS)[number]

/** The stages of a verification, in their order. */
export const AUDIT_STAGES = ['chain', 'unsealed', 'heads', 'head_rows', 'objects', 'mirror'] as const
export type AuditStage = (typeof AUDIT_STAGES)[number]

/** The first thing that is wrong in one stage: which event, where it is known, or which object. */
export const auditFault = z.object({
  stage: z.enum(AUDIT_STAGES),
  problem: z.enum(AUDIT_PROBLEMS),
  seq: z.number().nullable(),
  event_id: z.string().nullable(),
  key: z.string().nullable(),
})
export type AuditFault = z.infer<typeof auditFault>

/** Events that a rebuild of the ledger found lost and declared so, from number to number, and the event that says it [audit#losses]. */
export const auditLoss = z.object({
  from: z.number(),
  to: z.number(),
  event_id: z.string(),
  declared_at: z.string(),
})
export type AuditLoss = z.infer<typeof auditLoss>

/** A verification, under way or finished. `ok` is null until it has finished; `losses` are no faults, and are always named. */
export const auditVerification = z.object({
  verification_id: z.string(),
  requested_by: z.string(),
  started_at: z.string(),
  finished_at: z.string().nullable(),
  stage: z.enum(AUDIT_STAGES),
  to_seq: z.number(),
  objects_expected: z.number(),
  events_checked: z.number(),
  objects_checked: z.number(),
  heads_checked: z.number(),
  waiting: z.number(),
  ok: z.boolean().nullable(),
  faults: z.array(auditFault),
  losses: z.array(auditLoss),
  last_error: z.string().nullable(),
})
export type AuditVerification = z.infer<typeof auditVerification>

/** The newest verification, or null before the first. */
export const auditVerifications = z.object({ newest: auditVerification.nullable() })

const publicKey = z.object({ key_id: z.string(), public_key: z.string() })
/** The keys that sign heads of the audit, as PEM. */
export const auditKeys = publicKey.extend({ retired: z.array(publicKey) })
export type AuditKeys = z.infer<typeof auditKeys>
