/**
 * The record of a selection ([membridge#selections]): made right before the lease is written, with the text of that lease and who asks, so that
 * whoever finds it can end the selection as it was meant. It ends once: the transition is guarded, and its event commits with it.
 */
import sql from 'sql-template-tag'
import type { SelectPrimary } from '#contracts/leadership.contract.ts'
import type { Caller, Role } from '#domain/authority/caller.ts'
import type { ErrorCode } from '#domain/kernel/errors.ts'
import type { Lease } from '#domain/leadership/lease-object.ts'
import { create } from '#server/ledger/create.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { transition } from '#server/ledger/transition.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    membridge_selection: { requested_role: Role; requested_via: Caller['via'] }
  }
}

export type SelectionRow = Row<'membridge_selection'>

/** A selection as it is told in events. */
export const requestDetails = (input: SelectPrimary, previous: string | null) => ({
  primary_node_id: input.primary_node_id,
  previous_node_id: previous,
  lease_seconds: input.lease_seconds,
  force: input.force,
  expected_epoch: input.expected_epoch,
})

export type SelectionIntent = { input: SelectPrimary; previous: string | null; caller: Caller }

/** Records what is about to be written; the same lease once. */
export async function recordIntent(
  db: Db,
  { input, previous, caller }: SelectionIntent,
  text: string,
): Promise<void> {
  const { nonce, epoch, term } = JSON.parse(text) as Lease
  await create(db, {
    machine: 'membridge_selection',
    actor: caller,
    values: {
      ...{ selection_id: nonce, canonical_id: input.cid, primary_node_id: input.primary_node_id },
      ...{ previous_node_id: previous, lease_seconds: input.lease_seconds, force: input.force },
      ...{ expected_epoch: input.expected_epoch, reason: input.reason, epoch, term, lease: text },
      ...{ requested_by: caller.identity, requested_role: caller.role, requested_via: caller.via },
      request_id: caller.correlationId ?? null,
    },
  })
}

/** Who asked for a selection, for its events. */
export const callerOf = (row: SelectionRow): Caller => ({
  role: row.requested_role,
  identity: row.requested_by,
  via: row.requested_via,
  ...(row.request_id === null ? {} : { correlationId: row.request_id }),
})

const SELECTED = sql`jsonb_build_object('primary_node_id', m.primary_node_id, 'previous_node_id', m.previous_node_id, 'epoch', m.epoch, 'term', m.term,
  'lease_seconds', m.lease_seconds, 'force', m.force, 'expected_epoch', m.expected_epoch)`

/** Ends a selection whose lease, fence and audit object stand. False when somebody else has ended it. */
export async function closePromoted(db: Db, id: string, by: Caller, reason: string | null): Promise<boolean> {
  const rows = await transition(db, {
    machine: 'membridge_selection',
    event: 'promote',
    actor: by,
    where: sql`o.selection_id = ${id}`,
    set: sql`closed_at = clock_timestamp()`,
    details: SELECTED,
    returning: ['selection_id'],
    ...(reason === null ? {} : { reason }),
  })
  return rows.length > 0
}

export type RefusedSelection = {
  cid: string
  caller: Caller
  code: ErrorCode
  reason: string | null
  details: Record<string, unknown>
}

/** Ends a selection that did not come to be. False when somebody else has ended it. */
export const closeRefused = (db: Db, id: string, refused: RefusedSelection): Promise<boolean> =>
  db.transaction(async (tx) => {
    const rows = await transition(tx, {
      machine: 'membridge_selection',
      event: 'refuse',
      actor: refused.caller,
      where: sql`o.selection_id = ${id}`,
      set: sql`closed_at = clock_timestamp()`,
      returning: ['selection_id'],
    })
    if (rows.length > 0) await recordRefusal(tx, refused)
    return rows.length > 0
  })

/** The event of a selection that was refused. */
export const recordRefusal = (
  db: Db,
  { cid, caller, code, reason, details }: RefusedSelection,
): Promise<void> =>
  recordEvent(db, {
    ...{ name: 'leadership.refused', actor: caller, outcome: 'refused', errorCode: code, details },
    resource: { type: 'leadership', id: cid },
    ...(reason === null ? {} : { reason }),
  })
