/** Alerts for component tests; what is not named is that of an open one about storage. */
import { z } from 'zod'
import {
  type AlertView,
  alertChannels,
  alertDetail,
  alertPage,
  alertView,
  type DeliveryView,
} from '#contracts/alert.contract.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'

const AT = '2026-03-02T09:00:00.000Z'
export const idOf = (n: number): string => `alert-00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

export const anAlert = (n: number, more: Partial<AlertView> = {}): AlertView =>
  alertView.parse({
    alert_id: idOf(n),
    status: 'open',
    rule: 'StorageFull',
    resource: 'disk',
    severity: 'warning',
    condition: 'storage_used',
    unit: 'share',
    value: 0.915,
    samples: null,
    threshold: { comparison: '>', value: 0.8 },
    closes: { comparison: '<', value: 0.75 },
    read_at: AT,
    opened_at: AT,
    escalated_at: null,
    acknowledged_at: null,
    acknowledged_by: null,
    note: null,
    closed_at: null,
    ...more,
  } satisfies AlertView)

export const aDelivery = (more: Partial<DeliveryView> = {}): DeliveryView => ({
  ...{
    delivery_id: 'd1',
    alert_id: idOf(1),
    message: 'opened',
    channel: 'webhook',
    status: 'failed',
    attempts: 11,
  },
  ...{ last_error: 'The receiver answered 500.', created_at: AT, next_attempt_at: null, ended_at: AT },
  ...more,
})

/** Alerts behind the pages; acknowledging one changes it. */
export function alertLedger(alerts: AlertView[], deliveries: DeliveryView[] = [], configured = true) {
  const asked: unknown[] = []
  const find = (id: string) => alerts.find((alert) => alert.alert_id === id) as AlertView
  const procedures = router({
    list: query(alertPage, ({ show }: { show: string }) => ({
      items: alerts.filter((alert) => (alert.status === 'closed') === (show === 'closed')),
      next_cursor: null,
    })),
    get: query(alertDetail, ({ alert_id }: { alert_id: string }) => ({ ...find(alert_id), deliveries })),
    acknowledge: mutation(alertView, (input: { alert_id: string; note: string }) => {
      asked.push(input)
      return Object.assign(find(input.alert_id), {
        status: 'acknowledged',
        acknowledged_by: 'owner',
        note: input.note,
      })
    }),
    channels: query(alertChannels, () => ({
      webhook: configured ? { origin: 'https://hooks.example.org' } : null,
      email: configured
        ? { server: 'mail.example.org:587', from: 'garden@example.org', to: ['ops@example.org'] }
        : null,
      deliveries,
    })),
    sendTest: mutation(z.object({ requested: z.number() }), (input: unknown) => {
      asked.push(input)
      return { requested: 2 }
    }),
  })
  return { procedures: { alerts: procedures }, asked }
}
