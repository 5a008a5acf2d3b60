/** Every transition of an inbox entry ([inbox#states]): receive, resolve, refuse, expire. */
import sql from 'sql-template-tag'
import type { InboxAction } from '#contracts/inbox.contract.ts'
import { type Caller, GATEWAY, SCHEDULER } from '#domain/authority/caller.ts'
import { cutText } from '#domain/kernel/cut-text.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { create } from '#server/ledger/create.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { transition } from '#server/ledger/transition.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import type { EntryRow } from './entry-row.ts'

export type NewEntry = {
  inboxId: string
  sourceType: string
  sourceIdentity: string
  action: InboxAction
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
    details: { action: e.action, target: cutText(e.target, 1024), source: e.sourceIdentity },
    prepared: true,
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
  const [row] = await transition<EntryRow>(tx, {
    machine: 'inbox_entry',
    event: 'resolve',
    actor: GATEWAY,
    where: sql`o.inbox_id = ${inboxId}`,
    set: sql`resolution_kind = ${to.kind}, resolution_id = ${to.id}`,
    details: { [`${to.kind}_id`]: to.id },
    prepared: true,
  })
  return owned(row, inboxId)
}

/** `refuse`: an admission check failed; nothing else is created. */
export async function refuseEntry(tx: Db, inboxId: string, refusal: Refusal): Promise<EntryRow> {
  const [row] = await transition<EntryRow>(tx, {
    machine: 'inbox_entry',
    event: 'refuse',
    actor: GATEWAY,
    where: sql`o.inbox_id = ${inboxId}`,
    set: sql`reason_code = ${refusal.code}, reason = ${redactText(refusal.message)}`,
    reason: refusal.message,
    errorCode: refusal.code,
  })
  return owned(row, inboxId)
}

// The caller holds the row's lock, so a lost race is a defect.
function owned(row: EntryRow | undefined, inboxId: string): EntryRow {
  if (!row) throw new Error(`the entry ${inboxId} was resolved elsewhere`)
  return row
}

/** `expire`: entries that could not be resolved within their TTL; returns how many, at most `limit`. */
export async function expireEntries({ db }: Pick<Services, 'db'>, limit = 500): Promise<number> {
  const rows = await transition(db, {
    machine: 'inbox_entry',
    event: 'expire',
    actor: SCHEDULER,
    where: sql`o.expires_at <= clock_timestamp()`,
    batch: { order: sql`o.expires_at, o.inbox_id`, limit },
    returning: ['inbox_id'],
  })
  return rows.length
}
