import { deliverDue } from '#server/alerts/delivery/deliver-due.ts'
import { openSenders } from '#server/alerts/delivery/open-senders.ts'
import { evaluateAlerts } from '#server/alerts/evaluate-alerts.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const EVALUATE_MS = 10_000
const DELIVER_MS = 5_000

/**
 * Evaluates the alert rules; one worker at a time, and any will do [alerts#evaluation]. What waited while no worker was there is given one interval to be
 * caught up with before anybody is told of it.
 */
export function alertsLoop(services: Pick<Services, 'db' | 'env'>): Loop {
  return {
    name: 'alerts',
    everyMs: EVALUATE_MS,
    firstAfterMs: EVALUATE_MS,
    async tick() {
      await evaluateAlerts(services)
      return 'idle'
    },
  }
}

/** Sends messages about alerts, at once when one is requested, and repeats when they are due [alerts#delivery]. */
export function alertDeliveryLoop(
  services: Pick<Services, 'db' | 'env' | 'log'>,
): Loop & { after(): Promise<void> } {
  const { senders, close } = openSenders(services.env)
  return {
    name: 'alert-delivery',
    everyMs: DELIVER_MS,
    on: ['alerts'],
    tick: async () => ((await deliverDue({ ...services, senders })) > 0 ? 'again' : 'idle'),
    after: close,
  }
}
