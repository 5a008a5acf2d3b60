/**
 * The owner asks the proposing agent for changes ([proposals#requesting-changes]).
 *
 * States. The proposal stays PENDING: nothing was decided about its content. What says that its agent works on it is a marker beside the state,
 * as with snoozing: `awaiting_changes_since`, with `change_request` naming the inbox entry. The entry holds the comments and is what the run comes
 * from, so one id leads from the proposal to the run and back, and a rebuilt ledger knows the request.
 *
 *   requested   here: markers, entry, run and their events, one transaction
 *   answered    `answer-changes.ts`: the run's proposal of the same target takes the place of this one, in the transaction of step 03
 *   returned    `return-changes.ts`: the run has ended without one; the marker is removed, and the page says why
 *
 * Failure modes. The run is created with the request, so a crash leaves both or neither, and a run that nobody took over is found by the next scan
 * ([runs#I-R6]); its entry makes a repeat find it. The marker is set by one guarded statement over state, marker, version and expiry: of a decision,
 * another request and this exactly one happens.
 * Whatever refuses the run (no agent, not active, its queue full) rolls back the whole: nothing is stored.
 */
import sql from 'sql-template-tag'
import type { ChangesRequested, RequestChangesInput } from '#contracts/change-request.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { inboxId } from '#domain/kernel/ids.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { stateAllows } from '#domain/proposal/proposal-commands.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { changesAwaited } from '#server/proposals/changes-awaited.ts'
import { expireOverdue } from '#server/proposals/decide-proposal.ts'
import { digestOf } from '#server/proposals/digests.ts'
import { setFlag } from '#server/proposals/flag-proposal.ts'
import { findProposal, type ProposalRow } from '#server/proposals/proposal-row.ts'
import { invalidTransition, notFound, type Outcome } from '#server/proposals/transition-proposal.ts'
import type { Services } from '#server/services.ts'
import { receiveEntry, resolveEntry } from './entry-transitions.ts'
import { reviewedRequest } from './reviewed-request.ts'
import { pendingSiblings } from './siblings.query.ts'

const TTL_HOURS = 72

export type ChangeServices = Pick<Services, 'db' | 'garden' | 'entryHandlers'>
export type Requested = Outcome & { runId: string; inboxId: string }

/**
 * 404 `TARGET_NOT_FOUND` where no agent could answer, 409 `AGENT_NOT_ACTIVE`, 429 `QUEUE_FULL`, 409 `STALE_REVIEW`; 422 where a comment names no
 * line of the diff. The same request again returns what it made.
 */
export async function requestChanges(
  services: ChangeServices,
  input: RequestChangesInput,
  actor: Caller,
): Promise<Result<Requested>> {
  const { db } = services
  const row = await findProposal(db, input.proposal_id)
  if (!row) return notFound()
  const { review_digest: _, ...asked } = input
  const request = digestOf(JSON.parse(JSON.stringify(asked)))
  const known = await repeatOf(db, row, request)
  if (known) return ok(known)
  if (row.overdue && stateAllows('requestChanges', row.status)) await expireOverdue(db, row.proposal_id)
  if (row.overdue || !stateAllows('requestChanges', row.status))
    return invalidTransition(db, (await findProposal(db, row.proposal_id)) ?? row, 'requestChanges', actor)
  const awaited = changesAwaited(row)
  if (awaited) return refuse(awaited)
  if (!row.agent_slug) return noAgent()
  const reviewed = await reviewedRequest(services, row, input)
  if (!reviewed.ok) return reviewed
  const plan = { row, request, changes: reviewed.value, withSiblings: input.with_siblings }
  return orRefused(() => db.transaction((tx) => record({ ...services, db: tx }, plan, actor)))
}

const noAgent = (): Result<never> =>
  refuse({
    code: 'TARGET_NOT_FOUND',
    message: 'No agent of this garden made this proposal, so nobody could change it. Edit it, or reject it.',
  })

/** A refusal that was thrown, so that nothing of the transaction is left. */
async function orRefused<T>(work: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await work())
  } catch (error) {
    if (error instanceof Refused) return refuse(error.refusal)
    throw error
  }
}

type Plan = { row: ProposalRow; request: string; changes: ChangesRequested; withSiblings: boolean }

async function record(services: ChangeServices, plan: Plan, actor: Caller): Promise<Requested> {
  const { db: tx, entryHandlers } = services
  const { row } = plan
  const slug = row.agent_slug ?? ''
  const id = inboxId(new Date(), crypto.randomUUID().replaceAll('-', ''))
  const marked = await mark(
    tx,
    row,
    { id, of: row.proposal_id, comments: plan.changes.comments.length },
    actor,
  )
  const siblings = plan.withSiblings ? await pendingSiblings(tx, row) : []
  for (const sibling of siblings) await mark(tx, sibling, { id, of: row.proposal_id, comments: 0 }, actor)
  const params = await paramsOf(tx, row.run_id)
  const correlationId = crypto.randomUUID()
  const { priority } = row
  const entry = {
    inboxId: id,
    sourceType: actor.via === 'api' ? 'api' : 'ui',
    sourceIdentity: actor.identity,
    action: 'propose-artifact' as const,
    target: `agents/${slug}`,
    payload: { params, request: plan.request, changes_requested: plan.changes },
    bodyDigest: plan.request,
    ...{ correlationId, priority, ttlHours: TTL_HOURS, runId: null },
  }
  if (!(await receiveEntry(tx, entry, actor))) throw new Error('a fresh inbox id was taken')
  const started = {
    inboxId: id,
    agentSlug: slug,
    priority,
    correlationId,
    params,
    trigger: 'manual' as const,
    rerun: null,
  }
  const run = await entryHandlers.startRun(tx, started, actor)
  if (!run.ok) throw refused(run.refusal)
  await resolveEntry(tx, id, { kind: 'run', id: run.value.runId })
  return { row: marked, unchanged: false, runId: run.value.runId, inboxId: id }
}

const refused = ({ code, message, details, retryAfter }: Refused['refusal']) =>
  new Refused(code, message, details, retryAfter)

type Mark = { id: string; of: string; comments: number }

/** Guarded by the version that was reviewed, or, of a sibling, read under its lock. */
async function mark(
  tx: Db,
  row: ProposalRow,
  { id, of, comments }: Mark,
  actor: Caller,
): Promise<ProposalRow> {
  const flagged = await setFlag(
    tx,
    {
      id: row.proposal_id,
      command: 'requestChanges',
      set: sql`change_request = ${id}, awaiting_changes_since = clock_timestamp(), snoozed_until = NULL, version = version + 1`,
      holds: sql`awaiting_changes_since IS NOT NULL`,
      guard: sql`version = ${row.version} AND expires_at > clock_timestamp()`,
      unmet: () =>
        refuse({
          code: 'CONCURRENT_MODIFICATION',
          message: 'The proposal has just been changed. Reload it.',
        }),
      details: of === row.proposal_id ? { inbox_id: id, comments } : { inbox_id: id, with: of },
    },
    actor,
  )
  if (!flagged.ok) throw refused(flagged.refusal)
  return flagged.value.row
}

/** The agent does again what it was asked to do. */
async function paramsOf(tx: Db, runId: string | null): Promise<Record<string, unknown>> {
  const { rows } = await tx.query<Row<'run', 'params'>>(sql`SELECT params FROM run WHERE run_id = ${runId}`)
  return rows[0]?.params ?? {}
}

/** What this very request has made, while it is awaited. */
async function repeatOf(db: Db, row: ProposalRow, request: string): Promise<Requested | null> {
  if (!row.change_request || !row.awaiting_changes_since) return null
  const { rows } = await db.query<Row<'inbox_entry', 'payload' | 'resolution_id'>>(
    sql`SELECT payload, resolution_id FROM inbox_entry WHERE inbox_id = ${row.change_request}`,
  )
  const [entry] = rows
  if (entry?.payload.request !== request || !entry.resolution_id) return null
  return { row, unchanged: true, runId: entry.resolution_id, inboxId: row.change_request }
}
