import { loadPushKey } from '#server/environment/push-key.ts'
import { deliverPushes } from '#server/push/deliver-pushes.ts'
import { giveDigests } from '#server/push/give-digests.ts'
import { noticeWaiting } from '#server/push/notice-waiting.ts'
import { openPushSender } from '#server/push/send-push.ts'
import { announceKey } from '#server/push-devices/push-key.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const EVERY_MS = 5_000

/**
 * Makes the daily digests, looks for what began to wait, and sends messages to devices: at once when one is requested, and again when a repeat is due
 * [push#delivery].
 */
export function webPushLoop(
  services: Pick<Services, 'db' | 'env' | 'log'>,
): Loop & { after(): Promise<void> } {
  const { publicKey, send, close } = openPushSender(services.env, loadPushKey(services.env))
  let announced = false
  return {
    name: 'web-push',
    everyMs: EVERY_MS,
    on: ['pushes'],
    async tick() {
      if (!announced) await announceKey(services.db, publicKey)
      announced = true
      await giveDigests(services)
      await noticeWaiting(services)
      return (await deliverPushes({ ...services, send })) > 0 ? 'again' : 'idle'
    },
    after: close,
  }
}
