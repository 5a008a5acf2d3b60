/**
 * Step 03: every output of step 02 is submitted to the inbox under ids derived from the run and the index, so that a replay finds what
 * exists ([runs#I-R7]). A refusal is recorded and the step continues; one for its agent's rate is waited out. The step ends only when the bodies of its proposals are stored.
 */
import sql from 'sql-template-tag'
import { inboxMachine } from '#domain/inbox/inbox.machine.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { PinnedDefinition } from '#server/agents/read-definition.ts'
import { reviewedBy } from '#server/inbox/request-entry.ts'
import type { Db } from '#server/ledger/database.ts'
import { state } from '#server/ledger/states.ts'
import { storeProposalBody } from '#server/outbox/project-bodies.ts'
import type { ProposedChange } from '#server/ports/agent-executor.ts'
import { inboxIdOf, proposalIdOf } from '../run-ids.ts'
import { Interrupted, type RunParts } from '../run-parts.ts'
import type { RunRow } from '../run-row.ts'
import { type OutputOutcome, type OutputRequest, submitOutput } from './submit-output.ts'

/** What step 02 gave, and the run that executed it: ids follow from that one, so a replay from step 03 finds what was made of it. */
export type Execution = { runId: string; proposals?: ProposedChange[]; tainted?: boolean }

const REFUSED = state(inboxMachine, inboxMachine.events.refuse.to)

type Settled = Extract<OutputOutcome, { outcome: 'created' | 'reused' }>

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
    const proposalId = proposalIdOf(execution.runId, index)
    const outcome = await submitInTime(parts, signal, {
      runId: run.run_id,
      index,
      proposalId,
      ...(await entryOf(parts.db, run, { executor: execution.runId, index })),
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
      continue
    }
    if (outcome.proposalId === proposalId) await storeProposalBody(parts, proposalId)
    if (outcome.proposalId === proposalId && (await madeBy(parts.db, run, outcome))) {
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

type Output = { executor: string; index: number }

/**
 * The entry by which an output is submitted: the one that was made of it already, else the executing run's. What was refused there a replay submits
 * once more, as its own entry: what stood in its way may be gone.
 */
async function entryOf(
  db: Db,
  run: RunRow,
  { executor, index }: Output,
): Promise<Pick<OutputRequest, 'inboxId' | 'correlationId'>> {
  const of = (runId: string) => ({ inboxId: inboxIdOf(runId, index), correlationId: `${runId}:${index}` })
  if (executor === run.run_id) return of(executor)
  const { rows } = await db.query<{ made: string | null; refused: boolean }>(sql`SELECT
    (SELECT e.correlation_id FROM proposal p JOIN inbox_entry e ON e.inbox_id = p.inbox_entry_id
      WHERE p.proposal_id = ${proposalIdOf(executor, index)}) AS made,
    EXISTS (SELECT 1 FROM inbox_entry WHERE inbox_id = ${of(executor).inboxId} AND status = ${REFUSED}) AS refused`)
  const { made, refused } = rows[0] ?? {}
  if (made) return { ...of(executor), correlationId: made }
  return of(refused ? run.run_id : executor)
}

/** The answer to a request for changes first: what it supersedes makes room for the others ([proposals#requesting-changes]). */
async function inOrder(db: RunParts['db'], run: RunRow, proposals: readonly ProposedChange[]) {
  const target = (await reviewedBy(db, run.run_id))?.row.target_path
  const isAnswer = ([, change]: readonly [number, ProposedChange]) => Number(change.target === target)
  return [...proposals.entries()].toSorted((a, b) => isAnswer(b) - isAnswer(a))
}

/** Whether this run made the proposal: in an earlier attempt as well, but not the run whose step 02 it took over. */
async function madeBy(db: Db, run: RunRow, { outcome, proposalId }: Settled): Promise<boolean> {
  if (outcome === 'created') return true
  const { rows } = await db.query(
    sql`SELECT 1 FROM proposal WHERE proposal_id = ${proposalId} AND run_id = ${run.run_id}`,
  )
  return rows.length > 0
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
