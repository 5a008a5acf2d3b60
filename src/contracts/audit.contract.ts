import { z } from 'zod'

/** An event of the audit as the console and the API show it [audit#events]. */
export const auditEventView = z.object({
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
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
    cursor: z.string().max(64).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .strict()
export type AuditListInput = z.infer<typeof auditListInput>

export const auditPage = z.object({
  items: z.array(auditEventView),
  next_cursor: z.string().nullable(),
  chain: z.object({ sealed: z.number(), waiting: z.number(), head: z.string() }),
})
export type AuditPage = z.infer<typeof auditPage>

export const auditGetInput = z.object({ event_id: z.string().max(64) }).strict()
export const auditHistoryInput = z
  .object({ resource_type: z.string().max(32), resource_id: z.string().max(128) })
  .strict()
export const auditHistory = z.object({ items: z.array(auditEventView) })

/** What the walk over rows, chain and objects found; `first_fault` names the first wrong, missing or reordered event. */
export const auditVerification = z.object({
  ok: z.boolean(),
  checked: z.number(),
  waiting: z.number(),
  objects_checked: z.number(),
  first_fault: z.object({ seq: z.number(), event_id: z.string().nullable(), problem: z.string() }).nullable(),
})
export type AuditVerification = z.infer<typeof auditVerification>
