/** Carries out the syncs that people asked for at the gateway, a few at a time, from a notification on or within two seconds. */
import type { CallParts } from '#server/membridge/carry-out-sync.ts'
import { carryOutWaiting, takeUpSyncs } from '#server/membridge/take-up-syncs.ts'
import type { Services } from '#server/services.ts'

const EVERY_MS = 2_000
/** Each waits for a node and holds no connection meanwhile. */
const AT_ONCE = 16

/** Begins; the way to stop takes up no more. What is under way then ends by itself, or is given up. */
export function startSyncQueue(services: CallParts & Pick<Services, 'notifier' | 'log'>): () => void {
  const { notifier, log } = services
  const lost = (error: unknown) => log.error({ err: error }, 'a sync was not carried out')
  let [running, looking, failing, stopped] = [0, false, false, false]
  const notTaken = (error: unknown) => {
    if (!failing) log.warn({ err: error }, 'waiting syncs are not taken up; the next look is in two seconds')
    failing = true
    return null
  }
  const look = async () => {
    if (looking || stopped || running >= AT_ONCE) return
    looking = true
    const taken = await takeUpSyncs(services, AT_ONCE - running).catch(notTaken)
    looking = false
    if (taken) failing = false
    for (const sync of taken ?? []) {
      running += 1
      void carryOutWaiting(services, sync)
        .catch(lost)
        .finally(() => {
          running -= 1
          void look()
        })
    }
  }
  const timer = setInterval(look, EVERY_MS).unref()
  const unsubscribe = notifier.on('syncs', () => void look())
  return () => {
    stopped = true
    clearInterval(timer)
    unsubscribe()
  }
}
