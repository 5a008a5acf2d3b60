import type { AgentProblem } from '#contracts/agent.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'

type Requested = {
  inboxId: string
  agentSlug: string
  priority: 'normal' | 'high'
  correlationId: string
}
/** A run that is replayed from a step on, and why. */
export type RerunOf = { runId: string; fromStep: number; reason: string }
export type RunRequested = Requested & {
  params: Record<string, unknown>
  trigger: 'manual' | 'cron' | 'event' | 'rerun'
  rerun: RerunOf | null
}
/** The handler checks type and payload. An id that is given names the job; one that is there already is found again. */
export type JobRequested = Requested & {
  jobType: string
  payload: Record<string, unknown>
  jobId: string | undefined
}

/**
 * What an entry may need of other rooms: what it starts besides a proposal, and what is wrong with a proposed agent. A handler creates its object in the transaction it is given; a refusal has written
 * nothing. The inbox knows only this interface, so that runs and jobs may use the inbox.
 */
export type EntryHandlers = {
  startRun(tx: Db, run: RunRequested, actor: Caller): Promise<Result<{ runId: string }>>
  startJob(tx: Db, job: JobRequested, actor: Caller): Promise<Result<{ jobId: string }>>
  /** The errors that keep an `_agent.md` from taking the place of `before`. */
  definitionErrors(proposed: { slug: string; text: string; before: string | null }): AgentProblem[]
}
