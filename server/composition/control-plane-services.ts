import type { Logger } from 'pino'
import { requestGuards } from '#server/auth/request-guards.ts'
import type { Env } from '#server/env.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { openNotifier } from '#server/ledger/notifier.ts'
import { flushMeter } from '#server/metrics/totals.ts'
import { createStoreConditions } from '#server/objects/store-conditions.ts'
import type { Services } from '#server/services.ts'
import { absent } from './absent.ts'
import { openOnUse } from './open-on-use.ts'
import { openStore } from './open-store.ts'
import { reportRights } from './report-rights.ts'

type OwnEnv = Pick<
  Env,
  'DATABASE_URL' | 'BLOOM_HOME' | 'MINIO_ENDPOINT' | 'MINIO_ACCESS_KEY' | 'MINIO_SECRET_KEY' | 'MINIO_BUCKET'
>

const CONNECTIONS = 8
const FLUSH_MS = 10_000
/** A PostgreSQL that hangs must not gather requests: after this a statement, or the wait for a connection, has failed. */
const PATIENCE_MS = 8_000

/**
 * The services of the control plane: ledger and object store. It has no garden, no executor, no Prisma Client and no secret but its own; a
 * use-case that asks for one of these here fails. Neither ledger nor store has to answer yet.
 */
export async function createControlPlaneServices(
  env: OwnEnv,
  log: Logger,
): Promise<Services & { close(): Promise<void> }> {
  const store = openOnUse(() => openStore(env, { bucket: 'expect' }))
  const notifier = openNotifier(env.DATABASE_URL)
  const database = openDatabase(env.DATABASE_URL, {
    name: 'garden-bloom-control-plane',
    connections: CONNECTIONS,
    patienceMs: PATIENCE_MS,
    notify: notifier.notify,
  })
  const without = (part: string) => `The control plane has no ${part}.`
  const services: Services = {
    env: ownOnly(env),
    log,
    database,
    db: database,
    reads: absent(without('Prisma Client')),
    notifier,
    store,
    storeConditions: createStoreConditions(store, () => new Date()),
    garden: absent(without('garden')),
    executors: absent(without('executors')),
    orchestration: absent(without('engine')),
    entryHandlers: absent(without('inbox')),
  }
  void reportRights(services)
  // What could not be added while the ledger is away is added later.
  const flushing = setInterval(() => void flushMeter(database).catch(() => {}), FLUSH_MS).unref()
  return {
    ...services,
    close: async () => {
      clearInterval(flushing)
      const lost = (what: string) => (error: unknown) => log.error({ err: error }, `${what} were not written`)
      await requestGuards(services).refusals.flush(services).catch(lost('refusals'))
      await flushMeter(database).catch(lost('counts'))
      await notifier.close()
      await database.close()
    },
  }
}

/** The environment as use-cases know it; what this process was not given is not silently `undefined` there. */
const ownOnly = (env: object): Env =>
  new Proxy(env as Env, {
    get: (own, name, receiver) => {
      if (Reflect.has(own, name) || typeof name === 'symbol') return Reflect.get(own, name, receiver)
      throw new Error(`The control plane was not given ${name}.`)
    },
  })
