import type { Logger } from 'pino'
import type { Env } from '#server/env.ts'
import type { EntryHandlers } from '#server/inbox/entry-handlers.ts'
import type { Database, Db } from '#server/ledger/database.ts'
import type { Notifier } from '#server/ledger/notifier.ts'
import type { Reads } from '#server/ledger/prisma.ts'
import type { StoreConditions } from '#server/objects/store-conditions.ts'
import type { AgentExecutors } from '#server/ports/agent-executor.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import type { Orchestration } from '#server/ports/orchestration.ts'

/** What use-cases may be given. Each takes the part it needs: `Pick<Services, 'db' | 'store'>`. */
export type Services = {
  readonly env: Env
  readonly log: Logger
  readonly database: Database
  /** The ledger as use-cases get it: the pool, a transaction, or a guest's read-only part. */
  readonly db: Db
  readonly notifier: Notifier
  /** Prisma Client for lists and details: the web process's; any other process that asks for it fails. */
  readonly reads: Reads
  readonly store: ObjectStore
  /** What the last probe of the store found, for whoever must refuse a store that does not keep conditions. */
  readonly storeConditions: StoreConditions
  /** The garden's bare repository. */
  readonly garden: GitRepository
  readonly executors: AgentExecutors
  /** The engine that executes runs and keeps schedules. */
  readonly orchestration: Orchestration
  /** What inbox entries start besides proposals. */
  readonly entryHandlers: EntryHandlers
}
