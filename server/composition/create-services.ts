/**
 * The one place that picks adapters, for web and worker alike: the directory or S3 by `MINIO_*`, the garden's bare
 * repository, the executors by their model (the extractive one, and the one of Worker Nodes), the built-in engine for runs and schedules. The garden is made by the seed; until then opening it says so.
 */
import path from 'node:path'
import type { Logger } from 'pino'
import { createExtractiveExecutor } from '#server/adapters/agent-executor/extractive.ts'
import { createWorkerExecutor } from '#server/adapters/agent-executor/worker.ts'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { createBuiltInOrchestration } from '#server/adapters/orchestration/built-in.ts'
import { createExecutorRegistry } from '#server/agents/executor-registry.ts'
import { taskOf } from '#server/agents/tools/tasks.ts'
import { type Env, loadEnv } from '#server/env.ts'
import { clockSkewMs, skewInWords } from '#server/ledger/clock-skew.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { openNotifier } from '#server/ledger/notifier.ts'
import type { Reads } from '#server/ledger/prisma.ts'
import { createStoreConditions } from '#server/objects/store-conditions.ts'
import { servesModel } from '#server/runtime/serves-model.ts'
import type { Services } from '#server/services.ts'
import { absent } from './absent.ts'
import { createEntryHandlers } from './create-entry-handlers.ts'
import { createLog } from './log.ts'
import { openStore } from './open-store.ts'

/** A page asks for up to thirty things at once, and the worker's loops wake together, each for a matter of a millisecond: a few connections answer that. */
const CONNECTIONS = { web: 12, worker: 8 }

/** The worker does without Prisma Client, which would cost it memory and start-up time. */
const NO_READS = absent<Reads>('The worker reads by SQL, not through Prisma Client.')

/** Where the garden's repository lies below `BLOOM_HOME`. */
export const gardenFolder = (env: Pick<Env, 'BLOOM_HOME'>): string => path.join(env.BLOOM_HOME, 'garden.git')

/** Composes the services of this process; `close` releases everything, in reverse. */
export async function createServices(
  options: { env?: Env; service?: string } = {},
): Promise<Services & { close(): Promise<void> }> {
  const env = options.env ?? loadEnv()
  const service = options.service ?? 'web'
  // What may not be there yet comes first, so that a failed start leaves no connection open.
  const store = await openStore(env, { together: service === 'worker' })
  const garden = await openGitRepository(gardenFolder(env))
  const notifier = openNotifier(env.DATABASE_URL)
  const database = openDatabase(env.DATABASE_URL, {
    name: `garden-bloom-${service}`,
    connections: service === 'worker' ? CONNECTIONS.worker : CONNECTIONS.web,
    notify: notifier.notify,
  })
  const executors = createExecutorRegistry({
    extractive: createExtractiveExecutor(taskOf),
    worker: createWorkerExecutor((model) => servesModel(database, model)),
  })
  const log = createLog(env, service)
  void warnOfSkew(database, log)
  return {
    env,
    log,
    database,
    db: database,
    reads: service === 'worker' ? NO_READS : await readsOf(database),
    notifier,
    store,
    storeConditions: createStoreConditions(store, () => new Date()),
    garden,
    executors,
    orchestration: createBuiltInOrchestration({ db: database }),
    entryHandlers: createEntryHandlers(env, executors),
    close: async () => {
      await notifier.close()
      await database.close()
    },
  }
}

/** Nothing depends on the clock of a process, but what it writes into its log does. */
async function warnOfSkew(database: Database, log: Logger): Promise<void> {
  const skew = await clockSkewMs(database)
    .then(skewInWords)
    .catch(() => null)
  if (skew) log.warn(`the clock of this process is ${skew}`)
}

async function readsOf(database: Database): Promise<Reads> {
  const { openReads } = await import('#server/ledger/prisma.ts')
  return openReads(database)
}
