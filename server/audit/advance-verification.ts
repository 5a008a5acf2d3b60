/**
 * A verification goes on by one step: a worker takes it under a short lease, does a bounded part of its stage, and writes down how far it
 * came, guarded by the step it started from. Whoever dies loses one step; any worker goes on from the row. A step that takes longer than its lease may
 * be begun by another too: the first to end it counts.
 */
import sql from 'sql-template-tag'
import { AUDIT_STAGES, type AuditFault, type AuditStage } from '#contracts/audit.contract.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Services } from '#server/services.ts'
import { LOSSES_AN_EVENT } from './declared-losses.ts'
import type { Fault, StageStep, VerificationRow } from './verification-row.ts'
import { verifyChain, verifyUnsealed } from './verify-events.ts'
import { verifyHeadRows, verifyHeads } from './verify-heads.ts'
import { verifyMirror, verifyObjects } from './verify-objects.ts'

const LEASE_SECONDS = 30

type Parts = Pick<Services, 'db' | 'store' | 'env'>

const STAGES: Record<AuditStage, (parts: Parts, row: VerificationRow) => Promise<StageStep>> = {
  chain: verifyChain,
  unsealed: ({ db }, row) => verifyUnsealed(db, row),
  heads: verifyHeads,
  head_rows: verifyHeadRows,
  objects: verifyObjects,
  mirror: verifyMirror,
}
/** Which count of the row a stage adds to. */
const COUNTS: Partial<Record<AuditStage, 'events_checked' | 'heads_checked' | 'objects_checked'>> = {
  chain: 'events_checked',
  heads: 'heads_checked',
  objects: 'objects_checked',
}

/** Does the next step of the verification under way; false when there is none, or another worker is at it. */
export async function advanceVerification(parts: Parts, holder: string): Promise<boolean> {
  const row = await acquire(parts.db, holder)
  if (!row) return false
  let step: StageStep
  try {
    step = await STAGES[row.stage](parts, row)
  } catch (error) {
    const message = String((error as Error).message).slice(0, 500)
    await parts.db.query(
      sql`UPDATE audit_verification SET last_error = ${message} WHERE verification_id = ${row.verification_id} AND step = ${row.step}`,
    )
    throw error
  }
  return parts.db.transaction((tx) => store(tx, row, step))
}

async function acquire(db: Db, holder: string): Promise<VerificationRow | null> {
  const { rows } = await db.query<VerificationRow>(sql`UPDATE audit_verification SET lease_holder = ${holder},
      lease_expires_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    WHERE finished_at IS NULL AND (lease_holder = ${holder} OR lease_expires_at IS NULL OR lease_expires_at < clock_timestamp()) RETURNING *`)
  return rows[0] ?? null
}

/** A stage ends with its first fault; the others are walked all the same, since together they say what was done. */
async function store(tx: Db, row: VerificationRow, step: StageStep): Promise<boolean> {
  const over = step.position === null
  const next = AUDIT_STAGES[AUDIT_STAGES.indexOf(row.stage) + 1]
  const faults = step.fault ? [...row.faults, faultOf(row.stage, step.fault)] : row.faults
  const losses = [...row.losses, ...(step.losses ?? [])]
  const added = (count: (typeof COUNTS)[AuditStage]) =>
    row[count as 'events_checked'] + (COUNTS[row.stage] === count ? step.checked : 0)
  const { rows } =
    await tx.query<VerificationRow>(sql`UPDATE audit_verification SET step = step + 1, last_error = NULL,
      stage = ${over ? (next ?? row.stage) : row.stage}, position = ${step.position ?? ''}, faults = ${json(faults)}, losses = ${json(losses)},
      events_checked = ${added('events_checked')}, heads_checked = ${added('heads_checked')}, objects_checked = ${added('objects_checked')},
      finished_at = CASE WHEN ${over && !next} THEN clock_timestamp() END
    WHERE verification_id = ${row.verification_id} AND step = ${row.step} AND finished_at IS NULL RETURNING *`)
  const [stored] = rows
  if (stored?.finished_at) await recordVerified(tx, stored)
  return stored !== undefined
}

const faultOf = (stage: AuditStage, fault: Fault): AuditFault => ({
  stage,
  problem: fault.problem,
  seq: fault.seq ?? null,
  event_id: fault.event_id ?? null,
  key: fault.key ?? null,
})

async function recordVerified(tx: Db, row: VerificationRow): Promise<void> {
  await recordEvent(tx, {
    name: 'audit.verified',
    actor: { identity: row.requested_by, role: row.requested_role, via: row.requested_via },
    resource: { type: 'audit', id: row.verification_id },
    outcome: row.faults.length === 0 ? 'ok' : 'error',
    details: {
      to_seq: row.to_seq,
      events: row.events_checked,
      objects: row.objects_checked,
      heads: row.heads_checked,
      faults: row.faults,
      ...(row.losses.length > 0 && { lost: row.losses.length, losses: row.losses.slice(0, LOSSES_AN_EVENT) }),
    },
  })
}
