/**
 * "Run agent": an inbox entry that starts work, and the run it becomes, in one transaction ([runs#R1]); then the engine gets the run. The same
 * `correlation_id` with the same body returns the same run, or the same refusal; another body is 409. Without a correlation id every request is a new one.
 */
import { agentOf, type RunRequested, type RunRequestInput } from '#contracts/run-commands.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { RerunOf } from '#server/inbox/entry-handlers.ts'
import { type InboxServices, submitEntry } from '#server/inbox/submit-entry.ts'
import { unresolvedEntry } from '#server/inbox/unresolved-entry.ts'
import type { Services } from '#server/services.ts'
import { handOver } from './hand-over-runs.ts'
import { projectLater } from './project-run.ts'
import { readRun } from './run-row.ts'

export type RunAgentParts = Pick<Services, 'store' | 'log' | 'orchestration'> & InboxServices

/** A run as it is asked for: by an agent's name, or as the replay of one. */
export type RunWanted = Omit<RunRequestInput, 'agent_slug' | 'params'> & {
  params: Record<string, unknown>
  rerun?: RerunOf
}

export const runAgent = (parts: RunAgentParts, input: RunRequestInput, caller: Caller) =>
  submitRun(parts, { ...input, slug: agentOf(input) }, caller)

/** Submits the entry, hands its run to the engine, and stores its first status. */
export async function submitRun(
  parts: RunAgentParts,
  input: RunWanted,
  caller: Caller,
): Promise<Result<RunRequested>> {
  const answer = await submitEntry(
    parts,
    {
      intent: {
        action: 'propose-artifact',
        target: `agents/${input.slug}`,
        payload: { params: input.params },
      },
      metadata: {
        priority: input.priority,
        ...(input.correlation_id ? { correlation_id: input.correlation_id } : {}),
      },
    },
    // Without a correlation id every request is a new one.
    input.correlation_id ? caller : { ...caller, correlationId: crypto.randomUUID() },
    input.rerun && { trigger: 'rerun', rerun: input.rerun },
  )
  if (!answer.ok) return answer
  const { inbox_id, resolution, repeated } = answer.value
  const run = resolution?.kind === 'run' ? await readRun(parts.db, resolution.id) : null
  if (!run) return refuse(await unresolvedEntry(parts.db, answer.value))
  const taken = await handOver(parts, run)
  await projectLater(parts, run.run_id)
  return ok({ run_id: run.run_id, inbox_id, status: taken?.status ?? run.status, unchanged: repeated })
}
