import sql from 'sql-template-tag'
import type { AuditVerification } from '#contracts/audit.contract.ts'
import type { Services } from '#server/services.ts'
import { type VerificationRow, verificationView } from './verification-row.ts'

/** The newest verification, under way or finished. */
export async function getVerification({
  db,
}: Pick<Services, 'db'>): Promise<{ newest: AuditVerification | null }> {
  const { rows } = await db.query<VerificationRow>(
    sql`SELECT * FROM audit_verification ORDER BY started_at DESC, verification_id DESC LIMIT 1`,
  )
  return { newest: rows[0] ? verificationView(rows[0]) : null }
}
