import sql, { type Sql } from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { DEVICE_EVENTS } from '#domain/event/event-names.ts'
import type { DeviceRemoval } from '#domain/push/push.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'

export type KnownDevice = Row<'push_subscription', 'subscription_id' | 'account_id' | 'device' | 'endpoint'>

/** The host of an endpoint, which is all that is said of it anywhere. */
export const serviceOf = (endpoint: string): string => new URL(endpoint).host

/** Records in the audit that a device was added, or why it was removed; part of the caller's transaction. */
export function recordDevice(
  tx: Db,
  { subscription_id, account_id, device, endpoint }: KnownDevice,
  { actor, removed }: { actor: Caller; removed?: DeviceRemoval },
): Promise<void> {
  return recordEvent(tx, {
    name: removed ? DEVICE_EVENTS.remove : DEVICE_EVENTS.add,
    actor,
    resource: { type: 'device', id: subscription_id },
    details: { account_id, device, service: serviceOf(endpoint), ...(removed ? { because: removed } : {}) },
  })
}

/** Removes the devices `p` of this condition, each with its event; messages that wait for them are dropped. Returns how many there were. */
export function removeDevices(
  db: Db,
  which: Sql,
  { actor, because }: { actor: Caller; because: DeviceRemoval },
): Promise<number> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.query<KnownDevice>(sql`DELETE FROM push_subscription p WHERE ${which}
      RETURNING p.subscription_id, p.account_id, p.device, p.endpoint`)
    for (const device of rows) await recordDevice(tx, device, { actor, removed: because })
    return rows.length
  })
}
