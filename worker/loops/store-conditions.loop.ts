import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

/** How often a store is checked again that was not found fit. */
const RETRY_MS = 45_000
/** How often one that is fit is checked again, and the fault of another is logged again. */
const RECHECK_MS = 3_600_000

type LogMethod = (fields: object, message: string) => void

const CONSEQUENCE = {
  unfit: 'It is refused for leadership and locks, and two writers of one object may overwrite each other.',
  undecided: 'It is refused for leadership and locks until a check has passed.',
}

/**
 * Checks at start-up, every hour, and every 45 s as long as the last check was not passed, whether the object store keeps
 * conditional writes, without which locks are unsafe, and says so in log and health when it does not. It runs beside the
 * other loops, so that a slow store does not hold up the worker.
 */
export function storeConditionsLoop(
  {
    storeConditions,
    log,
  }: Pick<Services, 'storeConditions'> & { log: Record<'info' | 'warn' | 'error', LogMethod> },
  now: () => number = Date.now,
): Loop & {
  /** What the last check found missing, or could not find out, for the health of the store. */
  fault(): string | null
} {
  let logged: { refusal: string | null; at: number } | null = null
  const isDue = () => {
    const last = storeConditions.last()
    return last?.refusal !== null || now() - last.probedAt.getTime() >= RECHECK_MS
  }
  return {
    fault: () => storeConditions.last()?.refusal ?? null,
    name: 'store-conditions',
    everyMs: RETRY_MS,
    async tick() {
      if (!isDue()) return 'idle'
      const { store, checks, verdict, refusal } = await storeConditions.probe()
      if (logged?.refusal === refusal && now() - logged.at < RECHECK_MS) return 'idle'
      logged = { refusal, at: now() }
      if (verdict === 'fit') {
        log.info({ store }, 'the object store keeps conditional writes')
      } else {
        const failed = checks.filter((check) => !check.ok && check.undecided !== 'not reached')
        log[verdict === 'unfit' ? 'error' : 'warn']({ store, failed }, `${refusal} ${CONSEQUENCE[verdict]}`)
      }
      return 'idle'
    },
  }
}
