/** What is known to be wrong with the audit, for the health probe: the first of these, or null [audit#verification]. */
import sql from 'sql-template-tag'
import type { AuditFault } from '#contracts/audit.contract.ts'
import type { Db } from '#server/ledger/database.ts'

const UNSEALED_SECONDS = 5
const UNSIGNED_HOURS = 2

type State = { late: number; unsigned: boolean; faults: AuditFault[] | null }

/** The newest finished verification speaks until the next one has finished. */
export async function auditProblem(db: Db): Promise<string | null> {
  const { rows } = await db.query<State>(sql`SELECT
    (SELECT count(*) FROM event e WHERE e.id > h.low AND e.ts < clock_timestamp() - make_interval(secs => ${UNSEALED_SECONDS})
      AND NOT EXISTS (SELECT 1 FROM event_seal s WHERE s.event = e.id)) AS late,
    EXISTS (SELECT 1 FROM event_seal s WHERE s.seq = 1 + coalesce((SELECT max(seq) FROM audit_head), 0)
      AND s.sealed_at < clock_timestamp() - make_interval(hours => ${UNSIGNED_HOURS})) AS unsigned,
    (SELECT v.faults FROM audit_verification v WHERE v.finished_at IS NOT NULL ORDER BY v.started_at DESC LIMIT 1) AS faults
    FROM event_head h`)
  const [state] = rows
  if (!state) return 'audit_head_missing: The head of the chain is missing.'
  const [fault] = state.faults ?? []
  if (fault)
    return `audit_failed: Verification failed: ${fault.problem}${fault.seq === null ? '' : ` at event ${fault.seq}`}.`
  if (state.late > 0) return `audit_unsealed: ${state.late} events are not sealed yet.`
  return state.unsigned ? 'audit_unsigned: The head of the chain has not been signed for two hours.' : null
}
