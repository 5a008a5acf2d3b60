import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { createProposal, digestOfNew, type NewProposal } from '#server/proposals/create-proposal.ts'
import { type EntryRow, resolveEntry } from './entry-row.ts'
import type { Origin } from './origin.ts'
import type { Plan } from './prepare-entry.ts'
import type { WorkStarters } from './start-work.ts'

/** How long an agent may not repeat what was rejected (check 9 of Gate 1). */
const REJECTED_DAYS = 7

/** Creates what the entry asks for and marks it processed, in the caller's transaction; a refusal has written nothing. */
export async function resolvePlan(
  tx: Db,
  starters: WorkStarters,
  entry: EntryRow,
  what: { plan: Plan; origin: Origin; proposalId: string },
  actor: Caller,
): Promise<Result<EntryRow>> {
  const { plan } = what
  if (plan.kind === 'proposal') return resolveProposal(tx, entry, { ...what, plan }, actor)
  const started = {
    inboxId: entry.inbox_id,
    agentSlug: plan.agentSlug,
    priority: entry.priority,
    correlationId: entry.correlation_id,
  }
  if (plan.kind === 'run') {
    const run = await starters.startRun(tx, { ...started, params: plan.params }, actor)
    if (!run.ok) return run
    return ok(await resolveEntry(tx, entry.inbox_id, { kind: 'run', id: run.value.runId }))
  }
  const job = await starters.startJob(tx, { ...started, jobType: plan.jobType, payload: plan.payload }, actor)
  if (!job.ok) return job
  return ok(await resolveEntry(tx, entry.inbox_id, { kind: 'job', id: job.value.jobId }))
}

async function resolveProposal(
  tx: Db,
  entry: EntryRow,
  what: { plan: Extract<Plan, { kind: 'proposal' }>; origin: Origin; proposalId: string },
  actor: Caller,
): Promise<Result<EntryRow>> {
  const proposal = newProposal(entry, what)
  const { rows } = await tx.query<{ proposal_id: string }>(sql`SELECT proposal_id FROM proposal
    WHERE content_digest = ${digestOfNew(proposal)} AND source_identity = ${entry.source_identity} AND ${actor.role === 'agent'}
      AND status IN ('REJECTED', 'DISCARDED') AND proposal_id <> ${proposal.proposalId}
      AND decided_at > clock_timestamp() - make_interval(days => ${REJECTED_DAYS}) LIMIT 1`)
  if (rows[0]) {
    const details = { proposal_id: rows[0].proposal_id }
    return refuse({
      code: 'DUPLICATE_OF_REJECTED',
      message: 'The owner rejected exactly this lately.',
      details,
    })
  }
  const made = await createProposal(tx, proposal, actor)
  if (made.outcome === 'duplicate') {
    const details = { proposal_id: made.proposalId }
    return refuse({ code: 'DUPLICATE_ENTRY', message: 'Exactly this waits for a decision already.', details })
  }
  return ok(await resolveEntry(tx, entry.inbox_id, { kind: 'proposal', id: made.row.proposal_id }))
}

function newProposal(
  entry: EntryRow,
  {
    plan,
    origin,
    proposalId,
  }: { plan: Extract<Plan, { kind: 'proposal' }>; origin: Origin; proposalId: string },
): NewProposal {
  const { draft } = plan
  return {
    proposalId,
    inboxId: entry.inbox_id,
    sourceType: entry.source_type,
    sourceIdentity: entry.source_identity,
    runId: entry.run_id,
    agentSlug: origin.agentSlug,
    agentVersion: origin.agentVersion,
    tainted: origin.tainted,
    action: entry.action,
    target: draft.target,
    ownPath: draft.ownPath,
    summary: draft.summary,
    reasoning: draft.reasoning,
    citations: draft.citations,
    entityRefs: draft.entityRefs,
    changes: plan.changes,
    baseRevision: plan.baseRevision,
    priority: entry.priority,
    ttlHours: entry.ttl_hours,
    relations: origin.relations,
  }
}
