import { randomUUID } from 'node:crypto'
import type { AlertMessage } from '#contracts/alert.contract.ts'
import type { Message } from '#domain/alert/delivery.rules.ts'
import { type Caller, SCHEDULER } from '#domain/authority/caller.ts'
import { create } from '#server/ledger/create.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import type { AlertRow } from '../alert-row.ts'
import { alertView } from '../alert-view.ts'
import { type ChannelEnv, channelsOf } from './channels.ts'

type Outgoing = { tx: Db; env: ChannelEnv; now: Date }

const EVENT_TYPES = {
  opened: 'incident.opened',
  escalated: 'incident.escalated',
  closed: 'incident.resolved',
  test: 'incident.test',
} as const satisfies Record<Message, AlertMessage['eventType']>

/**
 * Puts one message for each channel into the outbox, in the transaction of the change that it tells of ([alerts#delivery]). What it says is
 * fixed here. A message that is there already stays the only one: the unique index knows alert, message and channel.
 */
export async function requestDeliveries(
  { tx, env, now }: Outgoing,
  alert: AlertRow | null,
  message: Message,
  actor: Caller = SCHEDULER,
): Promise<number> {
  const channels = channelsOf(env)
  for (const channel of channels) {
    const delivery_id = randomUUID()
    const body: AlertMessage = {
      schema: 'orch.event.v1',
      eventId: `urn:orch:event:${delivery_id}`,
      eventType: EVENT_TYPES[message],
      occurredAt: now.toISOString(),
      idempotencyKey: `orch-${EVENT_TYPES[message]}-${alert?.alert_id ?? delivery_id}`,
      tenantId: 'default',
      actor: { subject: actor.identity },
      incident: alert && alertView(alert),
      url: `${env.PUBLIC_URL}/alerts${alert ? `/${alert.alert_id}` : ''}`,
      notifier: { channel, delivery: delivery_id },
    }
    await create(tx, {
      machine: 'alert_delivery',
      actor,
      values: {
        ...{ delivery_id, alert_id: alert?.alert_id ?? null, message, channel, body: json(body) },
        ...{ requested_by: actor.identity, created_at: now, next_attempt_at: now },
      },
    })
  }
  return channels.length
}
