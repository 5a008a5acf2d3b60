import type { Caller } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import type {
  AgentDefinition,
  ProposedChange,
  ToolHandlers,
  ToolJournal,
  ToolProxies,
} from '#server/ports/agent-executor.ts'

/** A RESEARCH Job that a call of step 02 asks for. */
export type JobRequest = {
  jobId: string
  runId: string
  agentSlug: string
  priority: 'normal' | 'high'
  payload: Record<string, unknown>
  correlationId: string | null
}

/** An output of step 02 on its way through the Inbox. */
export type ProposalRequest = {
  runId: string
  index: number
  proposalId: string
  inboxId: string
  agentSlug: string
  agentVersion: string
  safeOutputs: readonly string[]
  tainted: boolean
  baseRevision: string
  priority: 'normal' | 'high'
  change: ProposedChange
}
export type ProposalOutcome =
  | { outcome: 'created' | 'reused'; proposalId: string; action: string; target: string }
  | { outcome: 'refused'; code: string; message: string; inboxId?: string }

/**
 * The other rooms as the pipeline meets them. Each is idempotent by the ids it is given: a repeat finds what is there.
 */
export type RunDoors = {
  /** Creates the Job, or finds it, in the caller's transaction. */
  submitJob(tx: Db, job: JobRequest): Promise<void>
  /** Cancels the Jobs of a run that are still under way, in the caller's transaction (R8). */
  cancelJobs(tx: Db, runId: string, reason: string, actor: Caller): Promise<void>
  /** Hands one output in through the Inbox; throws only when something does not answer. */
  submitProposal(request: ProposalRequest): Promise<ProposalOutcome>
  /** Stores the body of a proposal, create-only: step 03 ends only with its proposals stored (page 01, section 11). */
  storeProposal(proposalId: string): Promise<void>
  /** The tools as the executor sees them: numbered, checked against the definition, journalled. */
  toolProxies(input: {
    definition: AgentDefinition
    handlers: ToolHandlers
    journal: ToolJournal
  }): ToolProxies
}
