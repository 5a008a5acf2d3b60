import type { AlertChannels } from '#contracts/alert.contract.ts'
import { rowsOf, selected } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { DELIVERY_COLUMNS, deliveryView } from './alert-view.ts'
import { senderOf } from './delivery/channels.ts'

const NEWEST = 10

/** Where messages about alerts go, without secrets, and how the newest went. */
export async function getChannels({ env, reads }: Pick<Services, 'env' | 'reads'>): Promise<AlertChannels> {
  const newest = await reads.alertDelivery.findMany({
    select: selected(DELIVERY_COLUMNS),
    orderBy: [{ created_at: 'desc' }, { delivery_id: 'desc' }],
    take: NEWEST,
  })
  const { ALERT_WEBHOOK_URL: webhook, SMTP_URL: smtp } = env
  return {
    webhook: webhook ? { origin: new URL(webhook).origin } : null,
    email: smtp ? { server: new URL(smtp).host, from: senderOf(env), to: [...env.ALERT_EMAIL_TO] } : null,
    deliveries: rowsOf('alert_delivery', newest).map(deliveryView),
  }
}
