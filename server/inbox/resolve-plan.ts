import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { createUnderRules } from '#server/approval-rules/create-under-rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { states } from '#server/ledger/states.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { createProposal, digestOfNew, type NewProposal } from '#server/proposals/create-proposal.ts'
import { requestAnsweredBy, supersedeAnswered } from './answer-changes.ts'
import { duplicateEntry } from './duplicate-entry.ts'
import type { EntryHandlers } from './entry-handlers.ts'
import type { EntryRow } from './entry-row.ts'
import { resolveEntry } from './entry-transitions.ts'
import type { Origin } from './origin.ts'
import type { Plan } from './prepare-entry.ts'
import { changesAskedOf } from './request-entry.ts'

/** How long an agent may not repeat what was rejected (admission check 9). */
const REJECTED_DAYS = 7

/** What a plan needs beside the transaction. */
export type PlanParts = { garden: GitRepository; entryHandlers: EntryHandlers }

/** Creates what the entry asks for and marks it processed, in the caller's transaction; a refusal has written nothing. */
export async function resolvePlan(
  tx: Db,
  { garden, entryHandlers: handlers }: PlanParts,
  entry: EntryRow,
  what: { plan: Plan; origin: Origin; proposalId: string },
  actor: Caller,
): Promise<Result<EntryRow>> {
  const { plan } = what
  if (plan.kind === 'proposal') return resolveProposal({ db: tx, garden }, entry, { ...what, plan }, actor)
  const started = {
    inboxId: entry.inbox_id,
    agentSlug: plan.agentSlug,
    priority: entry.priority,
    correlationId: entry.correlation_id,
  }
  if (plan.kind === 'run') {
    const run = await handlers.startRun(
      tx,
      { ...started, params: plan.params, trigger: what.origin.trigger, rerun: what.origin.rerun },
      actor,
    )
    if (!run.ok) return run
    return ok(await resolveEntry(tx, entry.inbox_id, { kind: 'run', id: run.value.runId }))
  }
  const { jobType, payload, jobId } = plan
  const job = await handlers.startJob(tx, { ...started, jobType, payload, jobId }, actor)
  if (!job.ok) return job
  return ok(await resolveEntry(tx, entry.inbox_id, { kind: 'job', id: job.value.jobId }))
}

async function resolveProposal(
  { db: tx, garden }: { db: Db; garden: GitRepository },
  entry: EntryRow,
  what: { plan: Extract<Plan, { kind: 'proposal' }>; origin: Origin; proposalId: string },
  actor: Caller,
): Promise<Result<EntryRow>> {
  const proposal = newProposal(entry, what)
  const asked = (await changesAskedOf(tx, proposal.runId))?.inbox_id ?? null
  const rejected = actor.role === 'agent' ? await rejectedLately(tx, proposal, asked) : null
  if (rejected) {
    const message = `The owner rejected this change within the last ${REJECTED_DAYS} days.`
    return refuse({ code: 'DUPLICATE_OF_REJECTED', message, details: { proposal_id: rejected } })
  }
  const placed = asked ? await requestAnsweredBy(tx, asked, proposal) : ok(null)
  if (!placed.ok) return placed
  const answered = placed.value
  const relations = answered ? { supersedes: answered.old.proposal_id } : proposal.relations
  // Who asked for changes wants to see them: no rule approves what comes of a request.
  const made = asked
    ? await createProposal(tx, { ...proposal, relations }, actor)
    : await createUnderRules({ db: tx, garden }, proposal, actor)
  if (made.outcome === 'duplicate') {
    return refuse(duplicateEntry({ proposal_id: made.proposalId }))
  }
  if (answered && made.outcome === 'created') await supersedeAnswered(tx, answered, made.row)
  return ok(await resolveEntry(tx, entry.inbox_id, { kind: 'proposal', id: made.row.proposal_id }))
}

/**
 * The proposal with this content of this source that the owner rejected within the last days, or null. What made room for an answer to the request
 * that this run works on may come again as it was, but not what she rejected herself meanwhile.
 */
async function rejectedLately(tx: Db, proposal: NewProposal, asked: string | null): Promise<string | null> {
  const { rows } = await tx.query<Row<'proposal', 'proposal_id'>>(sql`SELECT p.proposal_id FROM proposal p
    WHERE p.content_digest = ${digestOfNew(proposal)} AND p.source_identity = ${proposal.sourceIdentity}
      AND p.status IN ${states(proposalMachine, 'REJECTED', 'DISCARDED')} AND p.proposal_id <> ${proposal.proposalId}
      AND NOT EXISTS (SELECT 1 FROM proposal s JOIN inbox_entry e ON s.relations ->> 'supersedes' = e.payload #>> '{changes_requested,proposal_id}'
        WHERE s.proposal_id = p.relations ->> 'superseded_by' AND e.inbox_id = ${asked})
      AND p.decided_at > clock_timestamp() - make_interval(days => ${REJECTED_DAYS}) LIMIT 1`)
  return rows[0]?.proposal_id ?? null
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
