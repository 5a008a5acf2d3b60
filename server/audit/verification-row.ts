import sql, { type Sql } from 'sql-template-tag'
import type {
  AuditFault,
  AuditLoss,
  AuditProblem,
  AuditStage,
  AuditVerification,
} from '#contracts/audit.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Row } from '#server/ledger/rows.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    audit_verification: {
      stage: AuditStage
      faults: AuditFault[]
      losses: AuditLoss[]
      requested_role: Caller['role']
      requested_via: Caller['via']
    }
  }
}

export type VerificationRow = Row<'audit_verification'>

/** What one step of a stage found: how far it came, and what is wrong. Without a position the stage is over. */
export type StageStep = {
  position: string | null
  checked: number
  fault: Fault | null
  /** Gaps that are declared lost. */
  losses?: AuditLoss[]
}
export type Fault = { problem: AuditProblem; seq?: number; event_id?: string | null; key?: string }

/** Events that wait for their seal. */
export const WAITING: Sql = sql`(SELECT count(*) FROM event e, event_head h
  WHERE e.id > h.low AND NOT EXISTS (SELECT 1 FROM event_seal s WHERE s.event = e.id))`

export const verificationView = (row: VerificationRow): AuditVerification => ({
  verification_id: row.verification_id,
  requested_by: row.requested_by,
  started_at: row.started_at.toISOString(),
  finished_at: row.finished_at?.toISOString() ?? null,
  stage: row.stage,
  to_seq: row.to_seq,
  objects_expected: row.mirrored_to,
  events_checked: row.events_checked,
  objects_checked: row.objects_checked,
  heads_checked: row.heads_checked,
  waiting: row.waiting,
  ok: row.finished_at ? row.faults.length === 0 : null,
  faults: row.faults,
  losses: row.losses,
  last_error: row.finished_at ? null : row.last_error,
})
