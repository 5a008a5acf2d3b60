import type { Logger } from 'pino'
import { ensureOwner } from '#server/auth/ensure-owner.ts'
import { requestGuards } from '#server/auth/request-guards.ts'
import { awaitedEnvironment } from '#server/environment/awaited-environment.ts'
import { flushMeter } from '#server/metrics/totals.ts'
import type { Services } from '#server/services.ts'
import { createLog } from './log.ts'
import { reportRights } from './report-rights.ts'

/**
 * The services of this web process: composed at the first request that needs them and kept on globalThis, because the
 * framework bundles its routes apart. A composition that failed is logged with its cause, and tried again by the next request.
 */
const SERVICES = Symbol.for('garden-bloom.services')
type Composed = Services & { close(): Promise<void> }
type Composer<T> = (() => Promise<T>) & { running(): Promise<T> | null }
type Holder = { [SERVICES]?: Composer<Composed> }

export function webServices(): Promise<Services> {
  const holder = globalThis as Holder
  // The environment may be what is wrong, so this log takes nothing from it.
  holder[SERVICES] ??= composedOnce(compose, createLog({ LOG_LEVEL: 'info' }, 'web'))
  return holder[SERVICES]()
}

/** Writes the refusals that are counted in memory and closes the services, as far as there are any. Never throws. */
export async function closeWebServices(): Promise<void> {
  const services = await (globalThis as Holder)[SERVICES]?.running()?.catch(() => null)
  if (!services) return
  try {
    await requestGuards(services).refusals.flush(services)
    await flushMeter(services.db)
    await services.close()
  } catch (error) {
    services.log.error({ err: error }, 'could not stop cleanly')
  }
}

const REPEAT_MS = 60_000

/**
 * Composes once, for all that ask; after a failure anew. The same failure is logged once a minute, however many ask. `running` gives what was
 * composed, or is being, without asking for it.
 */
export function composedOnce<T>(compose: () => Promise<T>, log: Pick<Logger, 'error'>): Composer<T> {
  let running: Promise<T> | null = null
  let logged = { message: '', at: Number.NEGATIVE_INFINITY }
  const once = () => {
    running ??= compose().catch((error: unknown) => {
      running = null
      const message = String(error)
      if (message !== logged.message || Date.now() - logged.at >= REPEAT_MS) {
        logged = { message, at: Date.now() }
        log.error({ err: error }, 'the web process cannot compose its services')
      }
      throw error
    })
    return running
  }
  return Object.assign(once, { running: () => running })
}

async function compose(): Promise<Composed> {
  const [{ createServices }, isReady] = await Promise.all([
    import('./create-services.ts'),
    awaitedEnvironment() ?? true,
    import('#server/ledger/prisma.ts'),
  ])
  if (!isReady) throw new Error('The start was given up before the ledger was there.')
  const services = await createServices()
  if (await ensureOwner(services))
    services.log.warn('BLOOM_OWNER_PASSWORD is ignored: the owner has set another password since')
  await reportRights(services)
  flushRegularly(services)
  return services
}

const FLUSH_MS = 10_000

/** What could not be added while the ledger is away is added later. */
function flushRegularly({ db }: Pick<Services, 'db'>): void {
  setInterval(() => void flushMeter(db).catch(() => {}), FLUSH_MS).unref()
}
