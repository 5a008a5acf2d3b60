/**
 * The only way in. Every operation and every route by hand, over every edge, passes here in this order:
 *
 *   identify (visit.ts) → origin → rate → right → step-up (admit.ts) → parse → Idempotency-Key → run → audit of refusals → log
 *
 * Input is not read before the caller may send it. What nobody foresaw is logged here, and leaves as INTERNAL_ERROR without a
 * word of its cause.
 *
 * A write runs in one transaction: the reserved Idempotency-Key, the use-case and the kept answer commit together, so a process
 * that dies at any moment has done all of it or nothing, and a repeat has one effect. The transaction follows the rule of every
 * other one: what the use-case returns is committed, a refusal with what it recorded too; what it throws is rolled back, and so is
 * an answer that does not fit its schema. Notifications follow the COMMIT. An operation that works outside the ledger, or waits
 * long, is declared `transaction: 'own'`: it opens its own, and its answer is kept in a commit of its own (once.ts).
 */
import type { z } from 'zod'
import { grantOf } from '#domain/authority/matrix.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { isResult, ok, type Result, refuse } from '#domain/kernel/result.ts'
import { refusalOf } from '#server/auth/refusal-of.ts'
import { requestGuards } from '#server/auth/request-guards.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Kind, OperationContext, Policy, RecordMisfit } from '#server/operations/operation.ts'
import { guestServices } from '#server/zones/guest-services.ts'
import { admit } from './admit.ts'
import { once } from './once.ts'
import { parseInput } from './parse-input.ts'
import { logCall } from './request-log.ts'
import type { Visit } from './visit.ts'

/** What the gate looks at of an operation or a route. */
export type Gated = {
  kind: Kind
  policy: Policy
  input: z.ZodType | null
  /** Null when `run` gives a Response. */
  output: z.ZodType | null
  status: number
  statusOf?: ((answer: never) => number) | undefined
  /** `own`: a write outside the gate's transaction. */
  transaction?: 'own' | undefined
  recordMisfit?: RecordMisfit | undefined
  run: (ctx: OperationContext, input: never) => Promise<unknown>
}

/** The input as it came; the fingerprint tells one request from another under one Idempotency-Key. */
export type Sent = { value: unknown; fingerprint: () => string }

/** One call as an edge hands it over. */
export type Incoming = {
  /** The template for audit and log, never the raw address. */
  endpoint: string
  /** Reads the input; called once the caller may send one. */
  read: () => Promise<Result<Sent>>
  idempotencyKey: string | undefined
}

export type Answer = { status: number; value: unknown; replayed: boolean } | Response

/** Lets the call through to its use-case, or says why not. Never throws. */
export async function pass(gated: Gated, visit: Visit, incoming: Incoming): Promise<Result<Answer>> {
  const outcome = await enter(gated, visit, incoming).catch((error: unknown) => {
    const { refusal, expected } = refusalOf(error)
    const { endpoint } = incoming
    if (!expected)
      visit.services.log.error({ err: error, endpoint, correlation_id: visit.correlationId }, 'call failed')
    return refuse(refusal)
  })
  if (!outcome.ok) await auditRefusal(visit, incoming.endpoint, outcome.refusal)
  logCall(gated, visit, incoming.endpoint, outcome)
  return outcome
}

/** Writes the refusal into the audit, as far as its kind is one that is audited. */
export async function auditRefusal(visit: Visit, endpoint: string, refusal: Refusal): Promise<void> {
  const { services, caller, request } = visit
  const address = request?.address ?? 'internal'
  // It is what refused: a caller may be let in where nobody asks for its key, and fail at something else.
  const because = refusal === visit.refusal ? visit.because : undefined
  await requestGuards(services).refusals.record(services, { caller, address, endpoint, refusal, because })
}

async function enter(gated: Gated, visit: Visit, incoming: Incoming): Promise<Result<Answer>> {
  const refusal = await admit(gated, visit)
  if (refusal) return refuse(refusal)
  const sent = await incoming.read()
  if (!sent.ok) return sent
  const input = parseInput(gated, sent.value.value, visit.face)
  const { services, caller, face } = visit
  if (!input.ok) {
    await gated.recordMisfit?.(services, caller, input.refusal)
    return input
  }
  const { endpoint, idempotencyKey: key } = incoming
  const keeps = face.idempotencyKeys === 'kept' && caller.role !== 'anonymous'
  const repeatable = key !== undefined && gated.kind === 'write' && keeps
  return unitOfWork(gated, visit, (db) => {
    const work = () => perform(gated, contextFor(gated, visit, { db, idempotencyKey: key }), input.value)
    if (!repeatable) return work()
    return once(
      { db, env: services.env },
      { key, endpoint, caller, fingerprint: sent.value.fingerprint() },
      work,
    )
  })
}

/** Runs a write in one transaction, unless it is declared to have its own; a read as it comes. */
function unitOfWork<T>({ kind, transaction }: Gated, visit: Visit, work: (db: Db) => Promise<T>): Promise<T> {
  const { db } = visit.services
  return kind === 'write' && transaction !== 'own' ? db.transaction(work) : work(db)
}

/** Runs the use-case. */
async function perform(gated: Gated, ctx: OperationContext, input: unknown): Promise<Result<Answer>> {
  const answered = await gated.run(ctx, input as never)
  if (answered instanceof Response) return ok(answered)
  const outcome = isResult(answered) ? answered : ok(answered)
  if (!outcome.ok) return outcome
  if (outcome.value instanceof Response) return ok(outcome.value)
  const value = gated.output ? gated.output.parse(outcome.value) : outcome.value
  return ok({ status: gated.statusOf?.(outcome.value as never) ?? gated.status, value, replayed: false })
}

type Run = { db: Db; idempotencyKey: string | undefined }

function contextFor({ policy }: Gated, visit: Visit, { db, idempotencyKey }: Run): OperationContext {
  const { caller, correlationId, steppedUp, refusal } = visit
  // A guest that reads its part of the garden reads with a guest's rights in the ledger too.
  const asGuest = caller.role === 'guest' && 'action' in policy && grantOf('guest', policy.action) === 'own'
  const services = asGuest ? guestServices(visit.services) : { ...visit.services, db }
  const address = visit.request?.address ?? 'internal'
  return { services, caller, correlationId, steppedUp, refusal, address, idempotencyKey }
}
