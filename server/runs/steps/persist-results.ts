/**
 * Step 03: every output of step 02 is submitted to the inbox under ids derived from the run and the index, so that a replay finds what
 * exists ([runs#I-R7]). A refusal is recorded and the step continues; one for its agent's rate is waited out. The step ends only when the bodies of its proposals are stored.
 */
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { PinnedDefinition } from '#server/agents/read-definition.ts'
import { targetOfRequest } from '#server/contexts/changes-requested.ts'
import { storeProposalBody } from '#server/outbox/project-bodies.ts'
import type { ProposedChange } from '#server/ports/agent-executor.ts'
import { inboxIdOf, proposalIdOf } from '../run-ids.ts'
import { Interrupted, type RunParts } from '../run-parts.ts'
import type { RunRow } from '../run-row.ts'
import { type OutputOutcome, type OutputRequest, submitOutput } from './submit-output.ts'

export type Execution = { proposals?: ProposedChange[]; tainted?: boolean }

export async function persistResults(
  parts: RunParts,
  run: RunRow,
  definition: Pick<PinnedDefinition, 'version' | 'definition'> & { revision: string },
  execution: Execution,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const created: Record<string, unknown>[] = []
  const reused: string[] = []
  const refused: Record<string, unknown>[] = []
  for (const [index, change] of await inOrder(parts.db, run, execution.proposals ?? [])) {
    if (signal.aborted) throw new Interrupted()
    const proposalId = proposalIdOf(run.run_id, index)
    const outcome = await submitInTime(parts, signal, {
      runId: run.run_id,
      index,
      proposalId,
      inboxId: inboxIdOf(run.run_id, index),
      agentSlug: run.agent_slug,
      agentVersion: definition.version,
      safeOutputs: definition.definition.safe_outputs,
      tainted: execution.tainted ?? true,
      baseRevision: definition.revision,
      priority: run.priority,
      change,
    })
    await parts.failpoint?.(`proposal-${index}`)
    if (outcome.outcome === 'refused') {
      refused.push({
        index,
        code: outcome.code,
        message: outcome.message,
        ...(outcome.inboxId ? { inbox_id: outcome.inboxId } : {}),
      })
    } else if (outcome.proposalId === proposalId) {
      await storeProposalBody(parts, proposalId)
      created.push({
        proposal_id: proposalId,
        action: outcome.action,
        target: outcome.target,
        status: proposalMachine.events.create.to,
      })
    } else reused.push(outcome.proposalId)
  }
  return { created, reused, refused }
}

/** The answer to a request for changes first: what it supersedes makes room for the others ([proposals#requesting-changes]). */
async function inOrder(db: RunParts['db'], run: RunRow, proposals: readonly ProposedChange[]) {
  const target = await targetOfRequest(db, run.inbox_entry_id)
  const isAnswer = ([, change]: readonly [number, ProposedChange]) => Number(change.target === target)
  return [...proposals.entries()].toSorted((a, b) => isAnswer(b) - isAnswer(a))
}

/** Submits the output, after as long as its agent has to wait; the limit of the step ends a wait that is too long, and the next attempt goes on. */
async function submitInTime(
  parts: RunParts,
  signal: AbortSignal,
  request: OutputRequest,
): Promise<Exclude<OutputOutcome, { outcome: 'early' }>> {
  for (;;) {
    const outcome = await submitOutput(parts, request)
    if (outcome.outcome !== 'early') return outcome
    await parts.pause(outcome.seconds * 1000, signal)
    if (signal.aborted) throw new Interrupted()
  }
}
