/**
 * The only way to ask for a change of the garden or for work ([inbox#actions]).
 *
 * The admission checks run in their order ([inbox#admission-checks]): rate (1, of people the gateway's); then schema (2), role (3), safe outputs (4), path (5), target (6), diff (7) and, inside the transaction, duplicates (8, 9). A call that fails checks 1–2 leaves
 * only an audit event, a later failure a rejected entry. The entry, what it becomes and their events commit together.
 *
 * The identity and its correlation id identify a request: the same body again returns the first entry and does nothing, another body is
 * 409 `IDEMPOTENCY_MISMATCH`. When the garden does not answer, the owner's entry stays `pending` and `resolve-pending.ts` retries it; an
 * agent's step gets the error and retries itself.
 */
import type { z } from 'zod'
import { validationRefusal } from '#contracts/error.contract.ts'
import {
  PAYLOADS,
  type SubmitAnswer,
  type SubmitEntryInput,
  submitEntryInput,
} from '#contracts/inbox.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { submitFault } from '#domain/inbox/submit.rules.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { inboxId, proposalId } from '#domain/kernel/ids.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { digestOf } from '#server/proposals/digests.ts'
import type { Services } from '#server/services.ts'
import { agentRateFault, type RateParts } from './agent-rate.ts'
import { answerOf, type EntryRow, findRepeat } from './entry-row.ts'
import { type NewEntry, receiveEntry, refuseEntry } from './entry-transitions.ts'
import { type Origin, originOf } from './origin.ts'
import { type Plan, prepareEntry } from './prepare-entry.ts'
import { resolvePlan } from './resolve-plan.ts'

export type InboxServices = Pick<Services, 'garden' | 'entryHandlers'> & RateParts

/** 202 with what the entry became, or why not; `details.inbox_id` names the rejected entry. */
export async function submitEntry(
  services: InboxServices,
  input: SubmitEntryInput,
  caller: Caller,
  given?: Partial<Origin>,
): Promise<Result<SubmitAnswer>> {
  const origin = originOf(caller, given)
  const limited = await agentRateFault(services, caller, input.metadata?.correlation_id)
  if (limited) return refuse(limited)
  const read = readInput(input)
  if (!read.ok) {
    await recordMalformed(services.db, caller, read.refusal)
    return read
  }
  const { intent, metadata, payload } = read.value
  const isSuggestion = caller.role === 'guest' && origin.sourceType === 'zone'
  if (caller.role !== 'owner' && caller.role !== 'agent' && caller.role !== 'service' && !isSuggestion)
    return refuse({ code: 'FORBIDDEN', message: 'Your role may not submit entries.' })
  const entry = newEntry({ intent, metadata }, origin, caller)
  const first = await findRepeat(services.db, caller.identity, entry.correlationId)
  if (first) return repeatOf(first, entry)
  const proposal = origin.proposalId ?? proposalId(new Date(), crypto.randomUUID())
  const denied = submitFault(caller, intent, origin.safeOutputs)
  const plan = denied
    ? refuse(denied)
    : await planOrWait(services, caller, {
        ...intent,
        payload,
        proposalId: proposal,
        by: entry.sourceIdentity,
        at: new Date(),
        baseRevision: origin.baseRevision,
      })
  return record(services, caller, { entry, origin, proposalId: proposal, plan })
}

/** The form of the request: the envelope, then the payload of its action. */
function readInput(input: unknown) {
  const envelope = submitEntryInput.safeParse(input)
  if (!envelope.success) return refuse(validationRefusal(envelope.error))
  const { action } = envelope.data.intent
  if (!(action in PAYLOADS)) {
    const details = [{ field: 'intent.action', message: 'not available yet' }]
    return refuse({ code: 'VALIDATION_FAILED', message: `${action} is not available yet.`, details })
  }
  const payload = PAYLOADS[action as keyof typeof PAYLOADS].safeParse(envelope.data.intent.payload)
  if (!payload.success) return refuse(validationRefusal(payload.error))
  return ok({ ...envelope.data, payload: payload.data as unknown })
}

const newEntry = (
  { intent, metadata }: z.output<typeof submitEntryInput>,
  origin: Origin,
  caller: Caller,
): NewEntry => ({
  inboxId: origin.inboxId ?? inboxId(new Date(), crypto.randomUUID().replaceAll('-', '')),
  sourceType: origin.sourceType,
  sourceIdentity: caller.identity,
  action: intent.action,
  target: intent.target,
  payload: intent.payload,
  bodyDigest: digestOf({
    intent,
    priority: metadata.priority,
    ttl_hours: metadata.ttl_hours,
    ...(origin.rerun && { rerun: origin.rerun }),
  }),
  correlationId: metadata.correlation_id ?? crypto.randomUUID(),
  priority: metadata.priority,
  ttlHours: metadata.ttl_hours,
  runId: origin.runId,
})

/** What is no entry yet leaves this event alone ([inbox#admission-checks], check 2). */
export const recordMalformed = (db: Db, caller: Caller, refusal: Refusal) =>
  recordEvent(db, {
    name: 'inbox.rejected',
    actor: caller,
    resource: { type: 'inbox', id: '-' },
    outcome: 'refused',
    errorCode: refusal.code,
    reason: refusal.message,
  })

function repeatOf(first: EntryRow, entry: NewEntry): Result<SubmitAnswer> {
  if (first.body_digest === entry.bodyDigest) return ok(answerOf(first, true))
  const details = { inbox_id: first.inbox_id }
  return refuse({
    code: 'IDEMPOTENCY_MISMATCH',
    message: 'This correlation id was used for another request. Use a new one.',
    details,
  })
}

/** `null` when the garden does not answer and `resolve-pending.ts` will retry. */
async function planOrWait(
  services: InboxServices,
  caller: Caller,
  intent: Parameters<typeof prepareEntry>[1],
): Promise<Result<Plan> | null> {
  try {
    return await prepareEntry(services, intent)
  } catch (error) {
    if (error instanceof StorageUnavailable && caller.role === 'owner') return null
    throw error
  }
}

type Submission = { entry: NewEntry; origin: Origin; proposalId: string; plan: Result<Plan> | null }

async function record(
  services: InboxServices,
  caller: Caller,
  { entry, origin, proposalId, plan }: Submission,
): Promise<Result<SubmitAnswer>> {
  return services.db.transaction(async (tx) => {
    const row = await receiveEntry(tx, entry, caller)
    if (!row) {
      const first = await findRepeat(tx, caller.identity, entry.correlationId)
      if (first) return repeatOf(first, entry)
      return refuse({
        code: 'CONCURRENT_MODIFICATION',
        message: 'The same entry is being submitted elsewhere. Try again.',
      })
    }
    if (!plan) return ok(answerOf(row, false))
    const resolved = plan.ok
      ? await resolvePlan(tx, services, row, { plan: plan.value, origin, proposalId }, caller)
      : plan
    if (resolved.ok) return ok(answerOf(resolved.value, false))
    await refuseEntry(tx, row.inbox_id, resolved.refusal)
    return refuse(withEntry(resolved.refusal, row.inbox_id))
  })
}

const withEntry = (refusal: Refusal, id: string): Refusal => ({
  ...refusal,
  details: {
    ...(typeof refusal.details === 'object' && !Array.isArray(refusal.details) ? refusal.details : {}),
    inbox_id: id,
  },
})
