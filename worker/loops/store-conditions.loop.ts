import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const EVERY_MS = 3_600_000

type LogMethod = (fields: object, message: string) => void

/**
 * Checks at start-up, and again every hour, whether the object store keeps conditional writes, without which locks are unsafe, and logs
 * clearly when it does not. It runs beside the other loops, so that a slow store does not hold up the worker.
 */
export function storeConditionsLoop({
  store,
  log,
}: Pick<Services, 'store'> & { log: Record<'info' | 'error', LogMethod> }): Loop {
  return {
    name: 'store-conditions',
    everyMs: EVERY_MS,
    async tick() {
      const report = await store.probe()
      const failed = report.checks.filter((check) => !check.ok)
      if (report.ok) {
        log.info({ store: report.store }, 'the object store keeps conditional writes')
      } else {
        log.error(
          { store: report.store, failed },
          `the object store does not keep what is asked of it (${failed.map((check) => check.name).join('; ')}): it is refused for leadership and locks, and two writers of one object may overwrite each other`,
        )
      }
      return 'idle'
    },
  }
}
