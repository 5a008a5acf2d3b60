/**
 * The one door for whoever wants something changed or started (contract page 01, sections 1 and 2).
 *
 * Gate 1 in its order: the gateway has counted the call (1); then schema (2), role (3), safe outputs (4), path (5), target (6),
 * diff (7), and, inside the transaction, duplicates (8, 9). A call that fails 1–2 leaves an audit event alone, a later one a
 * rejected entry. The entry, what it becomes, and their events commit together; nothing is half accepted.
 *
 * The identity and its correlation id are the key of the request: the same body again gets the first entry and does nothing,
 * another body is 409 `IDEMPOTENCY_MISMATCH`. When the garden does not answer, the entry of a person stays `pending` and
 * `resolve-pending.ts` takes it up; an agent's step is told so and repeats by itself.
 */

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
import type { Services } from '#server/composition/services.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { digestOf } from '#server/proposals/digests.ts'
import { answerOf, type EntryRow, findRepeat, type NewEntry, receiveEntry, refuseEntry } from './entry-row.ts'
import { type Origin, originOf } from './origin.ts'
import { type Plan, prepareEntry } from './prepare-entry.ts'
import { resolvePlan } from './resolve-plan.ts'
import type { WorkStarters } from './start-work.ts'

export type InboxServices = Pick<Services, 'db' | 'garden'> & { starters: WorkStarters }

/** 202 with what the entry became, or why not; `details.inbox_id` names the rejected entry. */
export async function submitEntry(
  services: InboxServices,
  input: SubmitEntryInput,
  caller: Caller,
  given?: Partial<Origin>,
): Promise<Result<SubmitAnswer>> {
  const origin = originOf(caller, given)
  const read = readInput(input)
  if (!read.ok) {
    await recordMalformed(services.db, caller, read.refusal)
    return read
  }
  const { intent, metadata, payload } = read.value
  if (caller.role !== 'owner' && caller.role !== 'agent')
    return refuse({ code: 'FORBIDDEN', message: 'Not enough rights to submit.' })
  const entry: NewEntry = {
    inboxId: origin.inboxId ?? inboxId(new Date(), crypto.randomUUID().replaceAll('-', '')),
    sourceType: origin.sourceType,
    sourceIdentity: caller.identity,
    action: intent.action,
    target: intent.target,
    payload: intent.payload,
    bodyDigest: digestOf({ intent, priority: metadata.priority, ttl_hours: metadata.ttl_hours }),
    correlationId: metadata.correlation_id ?? crypto.randomUUID(),
    priority: metadata.priority,
    ttlHours: metadata.ttl_hours,
    runId: origin.runId,
  }
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

const recordMalformed = (db: Db, caller: Caller, refusal: Refusal) =>
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
    message: 'This correlation id was used for another request.',
    details,
  })
}

/** `null` when the garden does not answer and somebody will look again. */
async function planOrWait(
  services: InboxServices,
  caller: Caller,
  intent: Parameters<typeof prepareEntry>[1],
): Promise<Result<Plan> | null> {
  try {
    return await prepareEntry({ db: services.db, garden: services.garden }, intent)
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
      return refuse({ code: 'CONCURRENT_MODIFICATION', message: 'The same entry is being made elsewhere.' })
    }
    if (!plan) return ok(answerOf(row, false))
    const resolved = plan.ok
      ? await resolvePlan(tx, services.starters, row, { plan: plan.value, origin, proposalId }, caller)
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
