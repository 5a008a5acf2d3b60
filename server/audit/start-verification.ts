import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { AUDIT_STAGES, type AuditVerification } from '#contracts/audit.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { PROJECTOR } from '#server/outbox/consume.ts'
import type { Services } from '#server/services.ts'
import { getVerification } from './get-verification.query.ts'
import { type VerificationRow, verificationView, WAITING } from './verification-row.ts'

/** Starts a verification of everything that is sealed now, or joins the one under way; a worker does the work [audit#verification]. */
export async function startVerification(
  { db }: Pick<Services, 'db'>,
  caller: Caller,
): Promise<AuditVerification> {
  const id = `ver_${randomUUID()}`
  const [first] = AUDIT_STAGES
  const { rows } =
    await db.query<VerificationRow>(sql`INSERT INTO audit_verification (verification_id, requested_by, requested_role, requested_via, stage,
      to_seq, to_id, mirrored_to, waiting)
    SELECT ${id}, ${caller.identity}, ${caller.role}, ${caller.via}, ${first}, h.seq, h.low,
      least(h.seq, coalesce((SELECT c.seq FROM consumer c WHERE c.name = ${PROJECTOR}), 0)), ${WAITING} FROM event_head h
    ON CONFLICT ((true)) WHERE finished_at IS NULL DO NOTHING RETURNING *`)
  const [started] = rows
  const newest = started ? verificationView(started) : (await getVerification({ db })).newest
  if (!newest) throw new Error('there is neither a new verification nor one under way')
  db.notify('verification')
  return newest
}
