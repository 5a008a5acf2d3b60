import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const EVERY_MS = 3_600_000

type LogMethod = (fields: object, message: string) => void

/**
 * Checks at start-up, and again every hour, whether the object store keeps conditional writes, without which locks are unsafe, and says
 * so in log and health when it does not. It runs beside the other loops, so that a slow store does not hold up the worker.
 */
export function storeConditionsLoop({
  storeConditions,
  log,
}: Pick<Services, 'storeConditions'> & { log: Record<'info' | 'error', LogMethod> }): Loop & {
  /** What the last check found missing, for the health of the store. */
  fault(): string | null
} {
  return {
    fault: () => storeConditions.last()?.refusal ?? null,
    name: 'store-conditions',
    everyMs: EVERY_MS,
    async tick() {
      const { store, checks, refusal } = await storeConditions.probe()
      if (refusal === null) {
        log.info({ store }, 'the object store keeps conditional writes')
      } else {
        log.error(
          { store, failed: checks.filter((check) => !check.ok) },
          `${refusal} It is refused for leadership and locks, and two writers of one object may overwrite each other.`,
        )
      }
      return 'idle'
    },
  }
}
