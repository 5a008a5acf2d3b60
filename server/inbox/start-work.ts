import type { Caller } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'

/** What an entry hands to the room that runs agents. */
export type StartRun = {
  inboxId: string
  agentSlug: string
  params: Record<string, unknown>
  priority: 'normal' | 'high'
  correlationId: string
}
/** What an entry hands to the room of the Jobs; the room checks the payload by its type. */
export type StartJob = {
  inboxId: string
  agentSlug: string
  jobType: string
  payload: Record<string, unknown>
  priority: 'normal' | 'high'
  correlationId: string
}

/**
 * The rooms that an entry may start work in (contract page 01, section 1.2). Each creates its object in the transaction it is
 * given and refuses without having written anything.
 */
export type WorkStarters = {
  startRun(tx: Db, run: StartRun, actor: Caller): Promise<Result<{ runId: string }>>
  startJob(tx: Db, job: StartJob, actor: Caller): Promise<Result<{ jobId: string }>>
}
