import sql from 'sql-template-tag'
import type { SubmitAnswer } from '#contracts/inbox.contract.ts'
import { type Caller, GATEWAY } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { create } from '#server/ledger/create.ts'
import type { Db } from '#server/ledger/database.ts'
import { move } from '#server/ledger/move.ts'
import type { Row } from '#server/ledger/rows.ts'
import { json } from '#server/ledger/tell.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    inbox_entry: {
      payload: Record<string, unknown>
      priority: 'normal' | 'high'
      resolution_kind: 'proposal' | 'run' | 'job' | null
    }
  }
}

export type EntryRow = Row<'inbox_entry'>

export type NewEntry = {
  inboxId: string
  sourceType: string
  sourceIdentity: string
  action: string
  target: string
  payload: Record<string, unknown>
  bodyDigest: string
  correlationId: string
  priority: 'normal' | 'high'
  ttlHours: number
  runId: string | null
}

/** `receive`: the entry, or null when this identity has used the correlation id before (or the id is taken). */
export const receiveEntry = (tx: Db, e: NewEntry, actor: Caller): Promise<EntryRow | null> =>
  create(tx, {
    machine: 'inbox_entry',
    actor,
    correlationId: e.correlationId,
    details: { action: e.action, target: e.target.slice(0, 1024), source: e.sourceIdentity },
    values: {
      inbox_id: e.inboxId,
      source_type: e.sourceType,
      source_identity: e.sourceIdentity,
      action: e.action,
      target: e.target,
      payload: json(e.payload),
      body_digest: e.bodyDigest,
      correlation_id: e.correlationId,
      priority: e.priority,
      ttl_hours: e.ttlHours,
      run_id: e.runId,
      expires_at: sql`clock_timestamp() + make_interval(hours => ${e.ttlHours})`,
    },
  })

/** `resolve`: in the transaction that creates what the entry became. */
export async function resolveEntry(
  tx: Db,
  inboxId: string,
  to: { kind: 'proposal' | 'run' | 'job'; id: string },
): Promise<EntryRow> {
  const [row] = await move<EntryRow, 'inbox_entry'>(tx, {
    machine: 'inbox_entry',
    event: 'resolve',
    actor: GATEWAY,
    where: sql`o.inbox_id = ${inboxId}`,
    set: sql`resolution_kind = ${to.kind}, resolution_id = ${to.id}`,
    details: { [`${to.kind}_id`]: to.id },
  })
  if (!row) throw new Error(`the entry ${inboxId} was resolved by somebody else`)
  return row
}

/** `refuse`: Gate 1 said no; nothing else is created. */
export async function refuseEntry(tx: Db, inboxId: string, refusal: Refusal): Promise<EntryRow> {
  const [row] = await move<EntryRow, 'inbox_entry'>(tx, {
    machine: 'inbox_entry',
    event: 'refuse',
    actor: GATEWAY,
    where: sql`o.inbox_id = ${inboxId}`,
    set: sql`reason_code = ${refusal.code}, reason = ${refusal.message}`,
    reason: refusal.message,
    errorCode: refusal.code,
  })
  if (!row) throw new Error(`the entry ${inboxId} was resolved by somebody else`)
  return row
}

/** The entry this identity made under this correlation id. */
export async function findRepeat(db: Db, identity: string, correlationId: string): Promise<EntryRow | null> {
  const { rows } = await db.query<EntryRow>(
    sql`SELECT * FROM inbox_entry WHERE source_identity = ${identity} AND correlation_id = ${correlationId}`,
  )
  return rows[0] ?? null
}

export const answerOf = (row: EntryRow, repeated: boolean): SubmitAnswer => ({
  inbox_id: row.inbox_id,
  status: row.status,
  resolution:
    row.resolution_kind && row.resolution_id ? { kind: row.resolution_kind, id: row.resolution_id } : null,
  correlation_id: row.correlation_id,
  repeated,
})
