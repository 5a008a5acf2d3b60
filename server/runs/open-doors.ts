import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { inboxMachine } from '#domain/inbox/inbox.machine.ts'
import { type ErrorCode, Refused, retryable } from '#domain/kernel/errors.ts'
import { createToolProxies } from '#server/agents/tools/tool-proxies.ts'
import type { Services } from '#server/composition/services.ts'
import { submitEntry } from '#server/inbox/submit-entry.ts'
import { cancelJobsOfRun } from '#server/jobs/operate-job.ts'
import { submitJob } from '#server/jobs/submit-job.ts'
import type { Db } from '#server/ledger/database.ts'
import { storeProposalBody } from '#server/outbox/project-events.ts'
import type { JobRequest, ProposalOutcome, ProposalRequest, RunDoors } from './run-doors.ts'
import { RunFault } from './run-parts.ts'

type Parts = Pick<Services, 'db' | 'store' | 'garden' | 'entryHandlers'>

/** The agent as the author of what its run does: not an owner, and never more than its definition allows. */
const agentCaller = (slug: string, correlationId?: string): Caller => ({
  role: 'agent',
  identity: `agent:${slug}`,
  via: 'system',
  ...(correlationId === undefined ? {} : { correlationId }),
})

/** The doors as the product has them. */
export function openDoors(parts: Parts): RunDoors {
  return {
    submitJob: (tx, job) => askForJob(tx, job),
    async cancelJobs(tx, runId, reason, actor) {
      await cancelJobsOfRun(tx, runId, reason, actor)
    },
    submitProposal: (request) => handIn(parts, request),
    storeProposal: (id) => storeProposalBody(parts, id),
    toolProxies: createToolProxies,
  }
}

async function askForJob(tx: Db, job: JobRequest): Promise<void> {
  const made = await submitJob(
    tx,
    {
      job_id: job.jobId,
      job_type: 'RESEARCH',
      agent_slug: job.agentSlug,
      run_id: job.runId,
      payload: job.payload,
      priority: job.priority,
      correlation_id: job.correlationId ?? undefined,
    },
    agentCaller(job.agentSlug),
  )
  if (!made.ok) throw new RunFault('OUTPUT_INVALID', `The Job was refused: ${made.refusal.message}`)
}

/** One output through the Inbox. What the owner would be told is recorded; what may pass is thrown, so that the step tries again. */
async function handIn(parts: Parts, request: ProposalRequest): Promise<ProposalOutcome> {
  const { change } = request
  const answer = await submitEntry(
    parts,
    {
      intent: { action: change.action, target: change.target, payload: payloadOf(change) },
      metadata: { correlation_id: `${request.runId}:${request.index}`, priority: request.priority },
    },
    agentCaller(request.agentSlug),
    {
      inboxId: request.inboxId,
      proposalId: request.proposalId,
      runId: request.runId,
      agentSlug: request.agentSlug,
      agentVersion: request.agentVersion,
      safeOutputs: request.safeOutputs,
      tainted: request.tainted,
      baseRevision: request.baseRevision,
    },
  )
  if (!answer.ok) {
    const { code, message, details } = answer.refusal
    if (retryable(code) && !SETTLED.includes(code)) throw new Refused(code, message, details)
    const inboxId = (details as { inbox_id?: string } | undefined)?.inbox_id
    return { outcome: 'refused', code, message, ...(inboxId ? { inboxId } : {}) }
  }
  const { resolution, repeated, status, inbox_id } = answer.value
  if (resolution?.kind === 'proposal') {
    const { action, target } = change
    return { outcome: repeated ? 'reused' : 'created', proposalId: resolution.id, action, target }
  }
  if (status === inboxMachine.events.refuse.to) return refusedBefore(parts, inbox_id)
  throw new Error(`the entry ${inbox_id} is still ${status}`)
}

/** Refusals that a repeat would meet again, though in general they may pass. */
const SETTLED: readonly ErrorCode[] = ['VERSION_CONFLICT', 'TARGET_CHANGED', 'STALE_REVIEW']

function payloadOf(change: ProposalRequest['change']): Record<string, unknown> {
  const { action, target: _, kind, ...rest } = change
  return action === 'propose-note' || action === 'propose-comment'
    ? { kind: kind ?? 'comment', ...rest }
    : rest
}

async function refusedBefore({ db }: Parts, inboxId: string): Promise<ProposalOutcome> {
  const { rows } = await db.query<{ reason_code: string; reason: string }>(
    sql`SELECT reason_code, reason FROM inbox_entry WHERE inbox_id = ${inboxId}`,
  )
  const { reason_code: code = 'INTERNAL_ERROR', reason: message = '' } = rows[0] ?? {}
  return { outcome: 'refused', code, message, inboxId }
}
